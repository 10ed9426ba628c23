// The groups of processes that execute a collective together, listed by `replica_groups` or
// described by axes of a mesh. Source: StableHLO specification, "Replica groups".
#pragma once

#include "drumlin/ir/stablehlo/Constraints.h"

namespace drumlin::stablehlo {

// The ids of each group: ids of replicas, partitions or processes, depending on the operation.
using IdGroups = llvm::SmallVector<llvm::SmallVector<int64_t>>;

// Returns the groups that `groups` specifies by lists of ids or by axes of a mesh. The padding (-1)
// of shorter groups is removed. An empty list means one group of all processes. Fails, with an
// error from `emit`, if the program does not define the mesh as a `#stablehlo.mesh`, or if the axes
// do not fit the mesh.
mlir::FailureOr<IdGroups> idGroupsOf(EmitError emit, mlir::Operation *op, mlir::Attribute groups);

// The labels of the constraints on groups. Each operation numbers these constraints differently.
struct GroupLabels {
  llvm::StringRef shape;   // label: a 2-dimensional tensor
  llvm::StringRef unique;  // label: no id occurs twice
  llvm::StringRef covered; // label: groups cover the ids 0 to n - 1; empty: any ids
  // Whether shorter groups may be padded with -1.
  bool mayPad = false;
};
mlir::LogicalResult checkGroups(EmitError emit, const GroupLabels &labels, mlir::Attribute groups);

// The labels of the constraints on pairs of a source and a target id: the shape is [n, 2], and no
// source and no target occurs twice.
struct PairLabels {
  llvm::StringRef shape, sources, targets, range;
};
mlir::LogicalResult checkPairs(EmitError emit, const PairLabels &labels,
                               mlir::DenseIntElementsAttr pairs);

// Returns the channel's number, or 0 without a handle.
int64_t channelOf(std::optional<ChannelHandleAttr> handle);

} // namespace drumlin::stablehlo

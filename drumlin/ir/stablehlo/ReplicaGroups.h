// Which processes carry out a collective together: the groups that `replica_groups` lists, or those
// that it describes by axes of a mesh. Source: StableHLO specification, "Replica groups".
#pragma once

#include "drumlin/ir/stablehlo/Constraints.h"

namespace drumlin::stablehlo {

// Ids in each group: of replicas, of partitions or of processes, as the operation says.
using IdGroups = llvm::SmallVector<llvm::SmallVector<int64_t>>;

// The groups of a list without the padding of shorter ones (-1), or those of an axes attribute. An
// empty answer of no groups means one group of all. Fails, with an error from `emit`, for a mesh
// that isn't in the program as a `#stablehlo.mesh`, or one that its axes don't fit.
mlir::FailureOr<IdGroups> idGroupsOf(EmitError emit, mlir::Operation *op, mlir::Attribute groups);

// The labels of the constraints on groups, which each operation numbers differently.
struct GroupLabels {
  llvm::StringRef shape;   // a 2-dimensional tensor
  llvm::StringRef unique;  // no id occurs twice
  llvm::StringRef covered; // the ids are 0 to n - 1, each in some group; empty: any from 0 on
  // Shorter groups may be filled up with -1.
  bool mayPad = false;
};
mlir::LogicalResult checkGroups(EmitError emit, const GroupLabels &labels, mlir::Attribute groups);

// Pairs of ids, sources and targets: [n, 2], each source once and each target once.
struct PairLabels {
  llvm::StringRef shape, sources, targets, range;
};
mlir::LogicalResult checkPairs(EmitError emit, const PairLabels &labels,
                               mlir::DenseIntElementsAttr pairs);

// The channel's number, 0 without a handle.
int64_t channelOf(std::optional<ChannelHandleAttr> handle);

} // namespace drumlin::stablehlo

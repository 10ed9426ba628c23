// Reads attributes that several HLO instructions use and that have a syntax of their own.
#pragma once

#include "drumlin/hlo/CrossList.h"
#include "drumlin/import/hlo/Emitter.h"

namespace drumlin::hlo {

// The attribute `window={size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=… rhs_dilate=…
// rhs_reversal=…}`, with one number for each dimension. Missing items have their defaults.
struct Window {
  llvm::SmallVector<int64_t> sizes, strides, low, high, baseDilations, windowDilations;
  llvm::SmallVector<bool> reversal;

  // Returns the low and high padding in StableHLO's form: a matrix with one row for each dimension.
  mlir::DenseIntElementsAttr padding(mlir::OpBuilder &builder) const;
};

// Reads the window of the emitter's instruction. Reports windows that don't have `rank` dimensions.
Window readWindow(Emitter &emitter, size_t rank);

// The result of readGroups() if the program states neither groups nor the number of processes.
// `Empty`: no groups; operations treat this as one group of all processes for which the program is
// compiled. `Listed`: one group with a single process.
enum class OfAll : uint8_t { Empty, Listed };

// Reads the attribute `replica_groups`, a list such as `{{0,1},{2,3}}` or a formula such as
// `[2,2]<=[4]T(1,0)`. Returns a matrix with one row for each group; short rows are padded with -1.
// If there are no groups, all processes are one group. Reports any other value.
mlir::DenseIntElementsAttr readGroups(Emitter &emitter, OfAll ofAll);
// Reads the attribute `source_target_pairs`, such as `{{0,1},{1,2}}`, as a matrix with one row for
// each pair. Reports any other value.
mlir::DenseIntElementsAttr readPairs(Emitter &emitter);

} // namespace drumlin::hlo

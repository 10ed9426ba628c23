// The attributes that several instructions of HLO write in small languages of their own.
#pragma once

#include "drumlin/hlo/CrossList.h"
#include "drumlin/import/hlo/Emitter.h"

namespace drumlin::hlo {

// `window={size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=… rhs_dilate=… rhs_reversal=…}`, a number for
// each of the window's dimensions; what the text leaves out has its default.
struct Window {
  llvm::SmallVector<int64_t> sizes, strides, low, high, baseDilations, windowDilations;
  llvm::SmallVector<bool> reversal;

  // The lows and highs as rows of two, as StableHLO writes them.
  mlir::DenseIntElementsAttr padding(mlir::OpBuilder &builder) const;
};

// The window of the emitter's instruction. Reports what is no window of `rank` dimensions.
Window readWindow(Emitter &emitter, size_t rank);

// How one group of all processes is written where nothing says how many there are: as no group,
// which the operation takes for all that the program is compiled for, or as the one process.
enum class OfAll : uint8_t { Empty, Listed };

// The attribute `replica_groups`: `{{0,1},{2,3}}` as rows, and `[2,2]<=[4]T(1,0)`, which says how
// consecutive numbers are dealt out. Short rows are filled up with -1; without any, all processes
// are one group. Reports other values.
mlir::DenseIntElementsAttr readGroups(Emitter &emitter, OfAll ofAll);
// The attribute `source_target_pairs`: `{{0,1},{1,2}}` as rows of two. Reports other values.
mlir::DenseIntElementsAttr readPairs(Emitter &emitter);

} // namespace drumlin::hlo

// What the dimensions of a ragged product say. Shapes are those of docs: lhs [b, m, k].
#pragma once

#include "drumlin/ir/chlo/ChloOps.h"

namespace drumlin::chlo {

// Which kind of dimension of lhs is cut into groups.
//   NonContracting: rows; each group has its own matrix: [b, m, k], [g, b, k, n] -> [b, m, n]
//   Contracting: what is summed over; each group gives a matrix: [b, m, k], [b, k, n] -> [g, b, m,
//   n] Batch: [b, m, k], [b, k, n] -> [b, m, n]
enum class RaggedMode { NonContracting, Contracting, Batch };
RaggedMode raggedModeOf(RaggedDotDimensionNumbersAttr numbers);

// The shape of group sizes that differ along the dimensions before the ragged one: the sizes of
// these, then the number of groups.
llvm::SmallVector<int64_t> groupSizesShape(RaggedDotDimensionNumbersAttr numbers,
                                           llvm::ArrayRef<int64_t> lhs, int64_t groups);

// These dimensions of lhs.
llvm::SmallVector<int64_t> groupSizesDimensions(RaggedDotDimensionNumbersAttr numbers);

} // namespace drumlin::chlo

// The roles of a ragged dot's dimensions. In the shapes below, b is a batch dimension, g the
// groups, k the contracting dimension, and m and n the free dimensions.
#pragma once

#include "drumlin/ir/chlo/ChloOps.h"

namespace drumlin::chlo {

// The kind of the lhs dimension that is divided into groups.
//   NonContracting: the free dimension m; each group has its own rhs matrix:
//                   [b, m, k], [g, b, k, n] -> [b, m, n]
//   Contracting: the contracting dimension k; each group has its own result matrix:
//                [b, m, k], [b, k, n] -> [g, b, m, n]
//   Batch: the batch dimension b:
//                [b, m, k], [b, k, n] -> [b, m, n]
enum class RaggedMode { NonContracting, Contracting, Batch };
RaggedMode raggedModeOf(RaggedDotDimensionNumbersAttr numbers);

// Returns the shape of the `group_sizes` operand if group sizes vary along all dimensions of
// groupSizesDimensions(): the sizes of these dimensions, then the number of groups.
llvm::SmallVector<int64_t> groupSizesShape(RaggedDotDimensionNumbersAttr numbers,
                                           llvm::ArrayRef<int64_t> lhs, int64_t groups);

// Returns the dimensions of lhs along which group sizes may vary.
llvm::SmallVector<int64_t> groupSizesDimensions(RaggedDotDimensionNumbersAttr numbers);

} // namespace drumlin::chlo

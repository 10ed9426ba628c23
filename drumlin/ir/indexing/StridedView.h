// Where the elements of a value are in the memory of another value from which data movement
// computes it: for each dimension, one or several sizes with their strides.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"

namespace drumlin {

struct StridedFactor {
  int64_t size, stride; // the stride counts elements of the memory
  bool operator==(const StridedFactor &) const = default;
};
// The factors of one dimension, outermost first; its elements are numbered row-major over them. A
// dimension of one element has no factors.
using StridedDimension = std::vector<StridedFactor>;

struct StridedView {
  int64_t offset = 0; // position of the first element, in elements
  std::vector<StridedDimension> dimensions;
  bool operator==(const StridedView &) const = default;
};

StridedView rowMajorView(llvm::ArrayRef<int64_t> shape);
// Returns the view of a tensor whose dimensions are in this order in memory, slowest first.
StridedView viewInOrder(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> order);

// Concatenates the factors of several dimensions of a view, in that order, as those of one
// dimension.
StridedDimension concatenated(const StridedView &view, llvm::ArrayRef<int64_t> dimensions);

// Returns the innermost stride if one stride covers all factors, 0 if there are none; nothing if
// they need several strides.
std::optional<int64_t> innermostStride(const StridedDimension &factors);

// Returns the view of a map's result, given that of its operand; row-major for a result without
// elements. Nothing if strides cannot describe it: if a result element is no operand element or
// several, if a dimension would be split unevenly, or if strides would be negative.
std::optional<StridedView> viewThrough(const IndexingMap &map, const StridedView &operand);

// Returns the view of the operand of a bijective map, given that of its result.
std::optional<StridedView> viewBehind(const IndexingMap &map, const StridedView &result);

// A size into which several views of the same elements are all split, with each view's stride.
// alignFactors() returns nothing if the views' factors do not divide each other.
struct AlignedFactor {
  int64_t size;
  llvm::SmallVector<int64_t, 4> strides;
};
std::optional<std::vector<AlignedFactor>>
alignFactors(llvm::ArrayRef<const StridedDimension *> views);

// Sorts the factors by their strides in one view, outermost first; equal strides keep their order.
void sortByStride(std::vector<AlignedFactor> &factors, size_t view);

// Merges neighbouring factors if the outer one continues the inner one in each of the views `first`
// … `last`, both inclusive. In other views, the innermost stride of each merged group remains.
std::vector<AlignedFactor> mergeFactors(llvm::ArrayRef<AlignedFactor> factors, size_t first,
                                        size_t last);

} // namespace drumlin

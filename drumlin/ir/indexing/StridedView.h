// Describes where the elements of a value are in the memory of another value, from which the value
// is computed by data movement. Each dimension has one or several sizes, each with a stride.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"

namespace drumlin {

struct StridedFactor {
  int64_t size, stride; // the stride is a number of elements in memory
  bool operator==(const StridedFactor &) const = default;
};
// The factors of one dimension, outermost first. The dimension's elements are numbered in row-major
// order over the factors. A dimension of size 1 has no factors.
using StridedDimension = std::vector<StridedFactor>;

struct StridedView {
  int64_t offset = 0; // position of the first element, in elements
  std::vector<StridedDimension> dimensions;
  bool operator==(const StridedView &) const = default;
};

StridedView rowMajorView(llvm::ArrayRef<int64_t> shape);
// Returns the view of a tensor whose dimensions are in memory in the order `order`, from the
// slowest to the fastest.
StridedView viewInOrder(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> order);

// Returns one dimension that has the factors of several dimensions of a view, in the order of
// `dimensions`.
StridedDimension concatenated(const StridedView &view, llvm::ArrayRef<int64_t> dimensions);

// Returns the innermost stride if one stride covers all factors, or 0 if there are no factors.
// Nothing if the factors need several strides.
std::optional<int64_t> innermostStride(const StridedDimension &factors);

// Returns the view of a map's result, given the view of its operand. A result without elements has
// a row-major view. Returns nothing if strides cannot describe the result: if a result element is
// not exactly one operand element, if a dimension would be split unevenly, or if strides would be
// negative.
std::optional<StridedView> viewThrough(const IndexingMap &map, const StridedView &operand);

// Returns the view of the operand of a bijective map, given the view of its result.
std::optional<StridedView> viewBehind(const IndexingMap &map, const StridedView &result);

// A factor that several views of the same elements have in common: its size, and its stride in each
// view. alignFactors() splits the factors of the views into common factors. It returns nothing if
// the sizes do not divide each other.
struct AlignedFactor {
  int64_t size;
  llvm::SmallVector<int64_t, 4> strides;
};
std::optional<std::vector<AlignedFactor>>
alignFactors(llvm::ArrayRef<const StridedDimension *> views);

// Sorts the factors by their strides in one view, outermost first; equal strides keep their order.
void sortByStride(std::vector<AlignedFactor> &factors, size_t view);

// Merges neighbouring factors if the outer one continues the inner one in each of the views `first`
// … `last`, both inclusive. In all other views, the merged factor has the stride of the innermost
// of the factors that it replaces.
std::vector<AlignedFactor> mergeFactors(llvm::ArrayRef<AlignedFactor> factors, size_t first,
                                        size_t last);

} // namespace drumlin

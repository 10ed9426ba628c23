// Where the elements of a value lie in the memory of another one, through operations that only move
// elements: for each dimension, one or several sizes with their strides.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"

namespace drumlin {

struct StridedFactor {
  int64_t size, stride; // the stride in elements of the memory
  bool operator==(const StridedFactor &) const = default;
};
// Outermost first; elements of a dimension are numbered row-major over its factors. A dimension of
// one element has none.
using StridedDimension = std::vector<StridedFactor>;

struct StridedView {
  int64_t offset = 0; // of the first element
  std::vector<StridedDimension> dimensions;
  bool operator==(const StridedView &) const = default;
};

StridedView rowMajorView(llvm::ArrayRef<int64_t> shape);
// Of a tensor that lies with its dimensions in this order, slowest first.
StridedView viewInOrder(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> order);

// The factors of several of a view's dimensions, as of one dimension, in that order.
StridedDimension concatenated(const StridedView &view, llvm::ArrayRef<int64_t> dimensions);

// The stride of the innermost of factors that one stride walks, 0 where there are none; nothing
// where they need more than one.
std::optional<int64_t> innermostStride(const StridedDimension &factors);

// Where the elements of a result lie, given where those of the operand do that the map is of: of a
// result without elements, row-major. Nothing where strides can't describe it: where an element of
// the result is none of the operand or several, where a dimension would have to be cut unevenly,
// and where strides would be negative.
std::optional<StridedView> viewThrough(const IndexingMap &map, const StridedView &operand);

// The reverse, of a map that is a bijection: where the operand's elements lie, given where those of
// the result do.
std::optional<StridedView> viewBehind(const IndexingMap &map, const StridedView &result);

// The same elements along several views, dimension by dimension cut into the same sizes: entry i
// has the size and, for each view, its stride. Nothing where their factors don't divide each other.
struct AlignedFactor {
  int64_t size;
  llvm::SmallVector<int64_t, 4> strides;
};
std::optional<std::vector<AlignedFactor>>
alignFactors(llvm::ArrayRef<const StridedDimension *> views);

// Puts them into the order in which one of the views lies, outermost first; equal strides keep
// theirs.
void sortByStride(std::vector<AlignedFactor> &factors, size_t view);

// Makes neighbours one where in each of the views `first` … `last`, both inclusive, the outer one
// goes on where the inner one ends. Strides of other views are those of the innermost of each.
std::vector<AlignedFactor> mergeFactors(llvm::ArrayRef<AlignedFactor> factors, size_t first,
                                        size_t last);

} // namespace drumlin

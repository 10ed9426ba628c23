#include "drumlin/ir/indexing/StridedView.h"

#include "drumlin/ir/indexing/AffineSimplifier.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace drumlin {

StridedView rowMajorView(ArrayRef<int64_t> shape) {
  return viewInOrder(shape,
                     llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(shape.size()))));
}

StridedView viewInOrder(ArrayRef<int64_t> shape, ArrayRef<int64_t> order) {
  StridedView view;
  view.dimensions.resize(shape.size());
  int64_t stride = 1;
  for (int64_t dimension : llvm::reverse(order)) {
    auto d = static_cast<size_t>(dimension);
    if (shape[d] != 1) {
      view.dimensions[d] = {{shape[d], stride}};
    }
    stride *= shape[d];
  }
  return view;
}

// Merges each factor with the next inner one if a single stride covers both.
static StridedDimension joined(const StridedDimension &factors) {
  StridedDimension made;
  for (const StridedFactor &factor : factors) {
    if (!made.empty() && made.back().stride == factor.stride * factor.size) {
      made.back() = {made.back().size * factor.size, factor.stride};
    } else {
      made.push_back(factor);
    }
  }
  return made;
}

// Returns the memory position of the operand element that is read for an index of the result.
static AffineExpr placeOf(const IndexingMap &map, const StridedView &operand) {
  MLIRContext *context = map.map().getContext();
  AffineExpr place = getAffineConstantExpr(operand.offset, context);
  for (auto [index, dimension] : llvm::zip_equal(map.map().getResults(), operand.dimensions)) {
    int64_t inner = 1;
    for (const StridedFactor &factor : llvm::reverse(dimension)) {
      place = place + index.floorDiv(inner) % factor.size * factor.stride;
      inner *= factor.size;
    }
  }
  return AffineSimplifier(map.sizes(), {}, context).run(place);
}

// Adds to `cuts`, for each dimension, the weights of the digits into which the expression splits
// it. Returns false if the expression divides anything but a single dimension.
static bool addCuts(AffineExpr expression, MutableArrayRef<SmallVector<int64_t>> cuts) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary) {
    return !isa<AffineSymbolExpr>(expression);
  }
  AffineExpr left = binary.getLHS();
  if (expression.getKind() == AffineExprKind::Add) {
    return addCuts(left, cuts) && addCuts(binary.getRHS(), cuts);
  }
  if (expression.getKind() == AffineExprKind::Mul) {
    return addCuts(left, cuts);
  }
  // The expression is `d floordiv cut` or `(d floordiv cut) mod n`. The latter is the mixed-radix
  // digit of `d` with weight `cut` and base `n`.
  int64_t cut = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (expression.getKind() == AffineExprKind::Mod && left.getKind() == AffineExprKind::FloorDiv) {
    auto quotient = cast<AffineBinaryOpExpr>(left);
    int64_t first = cast<AffineConstantExpr>(quotient.getRHS()).getValue();
    left = quotient.getLHS();
    cut *= first;
    if (auto dim = dyn_cast<AffineDimExpr>(left)) {
      cuts[dim.getPosition()].push_back(first);
    }
  }
  auto dim = dyn_cast<AffineDimExpr>(left);
  if (dim) {
    cuts[dim.getPosition()].push_back(cut);
  }
  return bool(dim);
}

std::optional<StridedView> viewThrough(const IndexingMap &map, const StridedView &operand) {
  ArrayRef<int64_t> sizes = map.sizes();
  if (llvm::is_contained(sizes, 0)) {
    return rowMajorView(sizes);
  }
  SmallVector<SmallVector<int64_t>> cuts(sizes.size(), {1});
  AffineExpr place = map.isPure() ? placeOf(map, operand) : AffineExpr();
  if (!place || !addCuts(place, cuts)) {
    return std::nullopt;
  }
  // The position is linear in the digits: a digit's stride is the difference between the positions
  // for the digit's values 1 and 0.
  MLIRContext *context = place.getContext();
  SmallVector<AffineExpr> index(sizes.size(), getAffineConstantExpr(0, context));
  auto placeAtIndex = [&] { return cast<AffineConstantExpr>(place.replaceDims(index)).getValue(); };
  StridedView made;
  made.offset = placeAtIndex();
  for (auto [d, size] : llvm::enumerate(sizes)) {
    cuts[d].push_back(size);
    llvm::sort(cuts[d]);
    cuts[d].erase(llvm::unique(cuts[d]), cuts[d].end());
    StridedDimension digits;
    for (size_t i = cuts[d].size() - 1; i-- > 0;) {
      int64_t first = cuts[d][i], next = cuts[d][i + 1];
      index[d] = getAffineConstantExpr(first, context);
      int64_t stride = placeAtIndex() - made.offset;
      if (next % first != 0 || next > size || stride < 0) {
        return std::nullopt;
      }
      digits.push_back({next / first, stride});
    }
    index[d] = getAffineConstantExpr(0, context);
    made.dimensions.push_back(joined(digits));
  }
  return made;
}

std::optional<StridedView> viewBehind(const IndexingMap &map, const StridedView &result) {
  std::optional<IndexingMap> inverse = map.inverse();
  return inverse ? viewThrough(*inverse, result) : std::nullopt;
}

// Removes innermost factors from a list until the removed factors have `size` elements together,
// and returns them. Splits a factor if necessary. Returns nothing if this isn't possible.
static std::optional<StridedDimension> takeInner(StridedDimension &factors, int64_t size) {
  StridedDimension taken;
  while (size > 1) {
    if (factors.empty()) {
      return std::nullopt;
    }
    StridedFactor &last = factors.back();
    if (size % last.size == 0) {
      taken.push_back(last);
      size /= last.size;
      factors.pop_back();
    } else if (last.size % size == 0) {
      taken.push_back({size, last.stride});
      last = {last.size / size, last.stride * size};
      size = 1;
    } else {
      return std::nullopt;
    }
  }
  std::reverse(taken.begin(), taken.end());
  return taken;
}

std::optional<std::vector<AlignedFactor>> alignFactors(ArrayRef<const StridedDimension *> views) {
  std::vector<StridedDimension> rest;
  for (const StridedDimension *view : views) {
    rest.push_back(*view);
  }
  std::vector<AlignedFactor> aligned;
  while (llvm::any_of(rest, [](const StridedDimension &each) { return !each.empty(); })) {
    int64_t size = 0;
    for (const StridedDimension &each : rest) {
      if (each.empty()) {
        return std::nullopt;
      }
      size = size == 0 ? each.back().size : std::min(size, each.back().size);
    }
    AlignedFactor factor{size, {}};
    for (StridedDimension &each : rest) {
      std::optional<StridedDimension> taken = takeInner(each, size);
      if (!taken || taken->size() != 1) {
        return std::nullopt;
      }
      factor.strides.push_back(taken->front().stride);
    }
    aligned.push_back(std::move(factor));
  }
  std::reverse(aligned.begin(), aligned.end());
  return aligned;
}

void sortByStride(std::vector<AlignedFactor> &factors, size_t view) {
  std::vector<std::pair<int64_t, size_t>> order;
  for (auto [i, factor] : llvm::enumerate(factors)) {
    order.emplace_back(-factor.strides[view], i);
  }
  llvm::sort(order);
  std::vector<AlignedFactor> sorted;
  for (auto [stride, i] : order) {
    sorted.push_back(factors[i]);
  }
  factors = std::move(sorted);
}

std::vector<AlignedFactor> mergeFactors(ArrayRef<AlignedFactor> factors, size_t first,
                                        size_t last) {
  std::vector<AlignedFactor> merged;
  for (const AlignedFactor &factor : factors) {
    bool continues = !merged.empty();
    for (size_t view = first; continues && view <= last; ++view) {
      continues = merged.back().strides[view] == factor.strides[view] * factor.size;
    }
    if (!continues) {
      merged.push_back(factor);
      continue;
    }
    merged.back().size *= factor.size;
    merged.back().strides = factor.strides;
  }
  return merged;
}

StridedDimension concatenated(const StridedView &view, ArrayRef<int64_t> dimensions) {
  StridedDimension all;
  for (int64_t dimension : dimensions) {
    llvm::append_range(all, view.dimensions[static_cast<size_t>(dimension)]);
  }
  return all;
}

std::optional<int64_t> innermostStride(const StridedDimension &factors) {
  int64_t stride = 0; // stride of the previous factor; 0: none
  for (const StridedFactor &factor : factors) {
    if (stride != 0 && stride != factor.stride * factor.size) {
      return std::nullopt;
    }
    stride = factor.stride;
  }
  return stride;
}

} // namespace drumlin

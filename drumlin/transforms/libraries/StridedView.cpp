#include "drumlin/transforms/libraries/StridedView.h"

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

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

static StridedDimension allFactors(const StridedView &view) {
  StridedDimension all;
  for (const StridedDimension &dimension : view.dimensions) {
    all.insert(all.end(), dimension.begin(), dimension.end());
  }
  return all;
}

// Takes `size` elements' worth of factors off the inner end of a list, cutting one if need be.
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

// Neighbours that lie one behind the other are one.
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

std::optional<StridedView> reshaped(const StridedView &view, ArrayRef<int64_t> shape) {
  StridedDimension factors = allFactors(view);
  StridedView made;
  made.offset = view.offset;
  made.dimensions.resize(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    std::optional<StridedDimension> taken = takeInner(factors, shape[d]);
    if (!taken) {
      return std::nullopt;
    }
    made.dimensions[d] = joined(*taken);
  }
  return made;
}

static std::optional<StridedView> sliced(stablehlo::SliceOp slice, const StridedView &view) {
  StridedView made = view;
  ArrayRef<int64_t> before = shapeOf(slice.getOperand()), after = shapeOf(slice.getResult());
  for (size_t d = 0; d < before.size(); ++d) {
    int64_t first = slice.getStartIndices()[d], step = slice.getStrides()[d];
    if (before[d] == after[d]) {
      continue;
    }
    StridedDimension &dimension = made.dimensions[d];
    if (dimension.size() != 1) {
      return std::nullopt;
    }
    made.offset += first * dimension.front().stride;
    dimension = after[d] == 1 ? StridedDimension()
                              : StridedDimension{{after[d], dimension.front().stride * step}};
  }
  return made;
}

std::optional<StridedView> viewAfter(Operation *move, const StridedView &operand) {
  if (isa<stablehlo::ReshapeOp>(move)) {
    return reshaped(operand, shapeOf(move->getResult(0)));
  }
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(move)) {
    StridedView made;
    made.offset = operand.offset;
    for (int64_t from : transpose.getPermutation()) {
      made.dimensions.push_back(operand.dimensions[static_cast<size_t>(from)]);
    }
    return made;
  }
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(move)) {
    StridedView made;
    made.offset = operand.offset;
    for (int64_t size : shapeOf(broadcast.getResult())) {
      made.dimensions.push_back(size == 1 ? StridedDimension() : StridedDimension{{size, 0}});
    }
    for (auto [d, to] : llvm::enumerate(broadcast.getBroadcastDimensions())) {
      if (shapeOf(broadcast.getOperand())[d] != 1) {
        made.dimensions[static_cast<size_t>(to)] = operand.dimensions[d];
      }
    }
    return made;
  }
  if (auto slice = dyn_cast<stablehlo::SliceOp>(move)) {
    return sliced(slice, operand);
  }
  return std::nullopt;
}

std::optional<StridedView> viewBefore(Operation *move, const StridedView &result) {
  if (isa<stablehlo::ReshapeOp>(move)) {
    return reshaped(result, shapeOf(move->getOperand(0)));
  }
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(move)) {
    StridedView made;
    made.offset = result.offset;
    made.dimensions.resize(result.dimensions.size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation())) {
      made.dimensions[static_cast<size_t>(from)] = result.dimensions[to];
    }
    return made;
  }
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(move)) {
    StridedView made;
    made.offset = result.offset;
    for (int64_t to : broadcast.getBroadcastDimensions()) {
      made.dimensions.push_back(result.dimensions[static_cast<size_t>(to)]);
    }
    return made;
  }
  return std::nullopt;
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

} // namespace drumlin

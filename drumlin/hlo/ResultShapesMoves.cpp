// Infers the shapes of data movement operations from operands and attributes, as XLA's parser does.
#include "drumlin/hlo/ResultShapes.h"

#include "drumlin/hlo/CrossList.h"

#include <algorithm>

namespace drumlin::hlo {

//===-- data movement -------------------------------------------------------------------------===//

Inference::Result Inference::dynamicSize() {
  std::optional<size_t> along = dimension();
  Shape shape = operand(0);
  if (along) {
    shape.dimensions[*along].dynamic = true;
  }
  return along ? Result(shape) : std::nullopt;
}

// Infers the shape as XLA's parser does, which treats `dimensions` as sizes to prepend to the
// operand's dimensions. Only a scalar with `dimensions={}` gets the correct shape.
Inference::Result Inference::broadcast() {
  auto sizes = numbersOrNone("dimensions");
  Dimensions dimensions;
  for (int64_t size : sizes.value_or(std::vector<int64_t>())) {
    dimensions.push_back({size, false});
  }
  for (const Dimension &dimension : operand(0).dimensions) {
    dimensions.push_back(dimension);
  }
  return sizes ? Result(arrayOf(operand(0).element, std::move(dimensions))) : std::nullopt;
}

Inference::Result Inference::transpose() {
  auto order = numbers("dimensions");
  const Shape &of = operand(0);
  Dimensions dimensions;
  for (int64_t from : order.value_or(std::vector<int64_t>())) {
    if (from < 0 || static_cast<size_t>(from) >= of.dimensions.size()) {
      return fail("has `dimensions` that aren't dimensions of its operand");
    }
    dimensions.push_back(of.dimensions[static_cast<size_t>(from)]);
  }
  return order ? Result(arrayOf(of.element, std::move(dimensions))) : std::nullopt;
}

Inference::Result Inference::concatenate() {
  std::optional<size_t> along = dimension();
  if (!along) {
    return std::nullopt;
  }
  Text element = operand(0).element;
  Dimensions dimensions = operand(0).dimensions;
  for (size_t i = 1; i < operandCount(); ++i) {
    const Shape &next = operand(i);
    if (next.dimensions.size() != dimensions.size()) {
      return fail("has operands of different ranks");
    }
    element = Text(widerElement(element, next.element));
    for (size_t d = 0; d < dimensions.size(); ++d) {
      dimensions[d].dynamic |= next.dimensions[d].dynamic;
    }
    auto sum =
        sized(dimensions[*along], __int128(dimensions[*along].size) + next.dimensions[*along].size);
    if (!sum) {
      return fail("is longer than 2^63");
    }
    dimensions[*along] = *sum;
  }
  return arrayOf(element, std::move(dimensions));
}

Inference::Result Inference::pad() {
  const Value *value = instruction.find("padding");
  auto padding = value ? parseCrossList(value->text) : std::nullopt;
  Dimensions dimensions = operand(0).dimensions;
  bool isNone = dimensions.empty() && value && value->text.empty();
  if (!isNone && (!padding || padding->size() != dimensions.size())) {
    return fail("has no `padding` for each dimension");
  }
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const std::vector<int64_t> &by = (*padding)[i];
    __int128 gaps = std::max<__int128>(__int128(dimensions[i].size) - 1, 0);
    __int128 inside = by.size() == 3 ? by[2] : 0;
    auto size =
        by.size() == 2 || by.size() == 3
            ? sized(dimensions[i], __int128(dimensions[i].size) + by[0] + by[1] + gaps * inside)
            : std::nullopt;
    if (!size) {
      return fail("has an invalid `padding`, or one that leaves a negative size");
    }
    dimensions[i] = *size;
  }
  return arrayOf(Text(widerElement(operand(0).element, operand(1).element)), std::move(dimensions));
}

Inference::Result Inference::gather() {
  auto offsets = numbers("offset_dims"), collapsed = numbers("collapsed_slice_dims"),
       sizes = numbers("slice_sizes"), batching = numbersOrNone("operand_batching_dims");
  std::optional<int64_t> vector = number("index_vector_dim");
  if (!offsets || !collapsed || !sizes || !batching || !vector) {
    return std::nullopt;
  }
  Dimensions windows, batches;
  for (size_t i = 0; i < sizes->size(); ++i) {
    if (!contains(*collapsed, i) && !contains(*batching, i)) {
      windows.push_back({(*sizes)[i], false});
    }
  }
  for (size_t i = 0; i < operand(1).dimensions.size(); ++i) {
    if (static_cast<int64_t>(i) != *vector) {
      batches.push_back(operand(1).dimensions[i]);
    }
  }
  if (windows.size() != offsets->size()) {
    return fail("needs one number in `offset_dims` for each remaining dimension of its slices");
  }
  Dimensions dimensions;
  size_t nextWindow = 0, nextBatch = 0, rank = windows.size() + batches.size();
  for (size_t i = 0; i < rank; ++i) {
    bool isWindow = contains(*offsets, i);
    if (isWindow ? nextWindow == windows.size() : nextBatch == batches.size()) {
      return fail("has `offset_dims` that aren't dimensions of its result");
    }
    dimensions.push_back(isWindow ? windows[nextWindow++] : batches[nextBatch++]);
  }
  return arrayOf(operand(0).element, std::move(dimensions));
}

} // namespace drumlin::hlo

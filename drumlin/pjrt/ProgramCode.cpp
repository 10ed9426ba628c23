#include "drumlin/pjrt/ProgramCode.h"

#include <algorithm>
#include <cstring>
#include <ranges>

namespace drumlin::pjrt {

ProgramCode ProgramCode::of(std::string_view code, std::vector<WeightInCode> weights) {
  ProgramCode made;
  size_t bytes = code.size(), at = 0;
  for (const WeightInCode &weight : weights) {
    bytes -= weight.bytes;
  }
  made.rest.reserve(bytes);
  for (const WeightInCode &weight : weights) {
    made.rest.append(code.substr(at, weight.begin - at));
    at = weight.begin + weight.bytes;
  }
  made.rest.append(code.substr(at));
  made.weights = std::move(weights);
  return made;
}

// Returns a row-major tensor without its padding: the elements whose indices are within `shape`.
static Tensor cornerOf(const Tensor &tensor, const Shape &shape) {
  if (tensor.shape() == shape) {
    return tensor;
  }
  Tensor made(tensor.type(), shape);
  Shape strides = rowMajorStrides(tensor.shape());
  auto element = static_cast<int64_t>(storageBytes(tensor.type()));
  int64_t row = shape.back(), rows = row == 0 ? 0 : made.elements() / row;
  for (int64_t number = 0; number < rows; ++number) {
    int64_t rest = number, place = 0;
    for (size_t i = shape.size() - 1; i-- > 0;) {
      place += rest % shape[i] * strides[i];
      rest /= shape[i];
    }
    std::memcpy(made.data() + number * row * element, tensor.data() + place * element,
                static_cast<size_t>(row * element));
  }
  return made;
}

// Inverts toPhysical() of this layout: returns the row-major tensor, without padding.
static Tensor asBefore(const Tensor &tensor, const BlockedLayout &layout) {
  Tensor cut = fromPhysical(tensor, layout.order);
  if (!layout.isBlocked()) {
    return cut;
  }
  Shape filled = cut.shape();
  filled.clear();
  size_t next = 0;
  for (int64_t block : layout.blocks) {
    filled.push_back(cut.shape()[next] * (block == 1 ? 1 : cut.shape()[next + 1]));
    next += block == 1 ? 1 : 2;
  }
  return cornerOf(cut.withShape(std::move(filled)), layout.shape);
}

std::string ProgramCode::whole(const std::vector<Tensor> &tensors) const {
  std::string code;
  size_t bytes = rest.size(), at = 0;
  for (const WeightInCode &weight : weights) {
    bytes += weight.bytes;
  }
  code.reserve(bytes);
  for (const WeightInCode &weight : weights) {
    size_t before = weight.begin - code.size();
    code.append(rest, at, before);
    at += before;
    Tensor elements = tensors[weight.weight];
    for (const BlockedLayout &layout : std::views::reverse(weight.layouts)) {
      elements = asBefore(elements, layout);
    }
    code.append(elements.as<char>(), weight.bytes);
  }
  return code.append(rest, at);
}

bool ProgramCode::isValid(const std::vector<Tensor> &tensors) const {
  size_t end = 0, left = rest.size();
  for (const WeightInCode &weight : weights) {
    if (weight.begin < end || weight.begin - end > left || weight.weight >= tensors.size()) {
      return false;
    }
    left -= weight.begin - end;
    end = weight.begin + weight.bytes;
    const Tensor &tensor = tensors[weight.weight];
    Shape shape = tensor.shape();
    for (const BlockedLayout &layout : std::views::reverse(weight.layouts)) {
      if (!layout.isValid() || layout.physicalShape() != shape) {
        return false;
      }
      shape = layout.shape;
    }
    if (byteCount(tensor.type(), shape) != static_cast<int64_t>(weight.bytes)) {
      return false;
    }
  }
  return true;
}

} // namespace drumlin::pjrt

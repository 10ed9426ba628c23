// Infers the shapes of reductions, dots, convolutions and Fourier transforms.
#include "drumlin/hlo/ResultShapes.h"

#include <algorithm>

namespace drumlin::hlo {

//===-- reductions ----------------------------------------------------------------------------===//

// Infers the shape of a reduction. The results have the element types of the computation's root.
Inference::Result Inference::reduce() {
  auto along = numbers("dimensions");
  Result root = rootOf("to_apply");
  if (!along || !root) {
    return std::nullopt;
  }
  Dimensions left;
  for (size_t i = 0; i < operand(0).dimensions.size(); ++i) {
    if (!contains(*along, i)) {
      left.push_back(operand(0).dimensions[i]);
    }
  }
  if (isArray(*root)) {
    return arrayOf(root->element, std::move(left));
  }
  List<Shape> elements;
  for (const Shape &each : root->elements) {
    elements.push_back(arrayOf(each.element, left));
  }
  return tupleOf(std::move(elements));
}

// Infers the shape of a window reduction. The results have the element types of the initial values.
Inference::Result Inference::reduceWindow() {
  auto dimensions = window();
  if (!dimensions) {
    return std::nullopt;
  }
  size_t count = operandCount() / 2;
  List<Shape> elements;
  for (size_t i = 0; i < count; ++i) {
    Dimensions sizes = operand(i).dimensions;
    if (sizes.size() != dimensions->size()) {
      return fail("has a `window` of a different rank than its operand");
    }
    for (size_t d = 0; d < sizes.size(); ++d) {
      auto size = windowed(sizes[d], (*dimensions)[d]);
      if (!size) {
        return fail("is larger than 2^63 along a dimension");
      }
      sizes[d] = *size;
    }
    elements.push_back(arrayOf(operand(count + i).element, std::move(sizes)));
  }
  if (elements.empty()) {
    return fail("has no operand");
  }
  return count == 1 ? Result(elements[0]) : tupleOf(std::move(elements));
}

// Infers the shape of a scan from the shape of the computation's root. Outputs, which precede the
// carries, are stacked along the scanned dimension.
Inference::Result Inference::scan() {
  std::optional<size_t> along = dimension();
  std::optional<int64_t> carries = number("num_carries");
  Result root = rootOf("to_apply");
  if (!along || !carries || !root) {
    return std::nullopt;
  }
  Dimension length = operand(0).dimensions[*along];
  auto stacked = [&](const Shape &one) -> Result {
    if (*along > one.dimensions.size()) {
      return fail("scans along a dimension that its output doesn't have");
    }
    Dimensions dimensions = one.dimensions;
    dimensions.insert(dimensions.begin() + static_cast<std::ptrdiff_t>(*along), length);
    return arrayOf(one.element, std::move(dimensions));
  };
  if (isArray(*root)) {
    return *carries > 0 ? root : stacked(*root);
  }
  List<Shape> elements;
  auto count = static_cast<int64_t>(root->elements.size());
  for (int64_t i = 0; i < count; ++i) {
    const Shape &each = root->elements[static_cast<size_t>(i)];
    Result element = i < count - *carries ? stacked(each) : each;
    if (!element) {
      return std::nullopt;
    }
    elements.push_back(std::move(*element));
  }
  return tupleOf(std::move(elements));
}

Inference::Result Inference::map() {
  Result root = rootOf("to_apply");
  return root ? Result(arrayOf(root->element, operand(0).dimensions)) : std::nullopt;
}

//===-- dots and convolutions -----------------------------------------------------------------===//

// Infers the shape of a dot: the batch dimensions, then the free dimensions of both operands. If a
// contracting dimension is ragged, each group has a matrix product of its own, and the number of
// groups is prepended. Otherwise the group dimension of the second operand isn't in the result.
Inference::Result Inference::dot() {
  const Shape &lhs = operand(0), &rhs = operand(1);
  auto batch = numbersOrNone("lhs_batch_dims"), rhsBatch = numbersOrNone("rhs_batch_dims"),
       lhsContracted = numbersOrNone("lhs_contracting_dims"),
       rhsContracted = numbersOrNone("rhs_contracting_dims");
  auto ragged = numbersOrNone("lhs_ragged_dims"), groups = numbersOrNone("rhs_group_dims");
  if (!batch || !rhsBatch || !lhsContracted || !rhsContracted || !ragged || !groups) {
    return std::nullopt;
  }
  Dimensions dimensions;
  bool isStacked = ragged->size() == 1 && std::find(lhsContracted->begin(), lhsContracted->end(),
                                                    ragged->front()) != lhsContracted->end();
  if (isStacked && operandCount() == 3 && !operand(2).dimensions.empty()) {
    dimensions.push_back(operand(2).dimensions.back());
  }
  for (int64_t each : *batch) {
    if (each < 0 || static_cast<size_t>(each) >= lhs.dimensions.size()) {
      return fail("has batch dimensions that aren't dimensions of its operand");
    }
    dimensions.push_back(lhs.dimensions[static_cast<size_t>(each)]);
  }
  auto addRest = [&](const Shape &shape, const auto &batch, const auto &contracted) {
    for (size_t i = 0; i < shape.dimensions.size(); ++i) {
      if (!contains(batch, i) && !contains(contracted, i)) {
        dimensions.push_back(shape.dimensions[i]);
      }
    }
  };
  addRest(lhs, *batch, *lhsContracted);
  rhsContracted->insert(rhsContracted->end(), groups->begin(), groups->end());
  addRest(rhs, *rhsBatch, *rhsContracted);
  return arrayOf(Text(widerElement(lhs.element, rhs.element)), std::move(dimensions));
}

// Infers the shape of a convolution. `dim_labels` such as `b01f_01io->b01f` name the batch (b),
// feature (f, i, o) and spatial (0, 1) dimensions of both operands and the result.
Inference::Result Inference::convolution() {
  const Value *value = instruction.find("dim_labels");
  std::string labels = value ? value->str() : "";
  size_t under = labels.find('_'), arrow = labels.find("->");
  auto dimensions = window();
  const Shape &lhs = operand(0), &rhs = operand(1);
  if (!dimensions || under == std::string::npos || arrow == std::string::npos || arrow < under) {
    return fail("has no `dim_labels` such as `b01f_01io->b01f`");
  }
  std::string input = labels.substr(0, under), kernel = labels.substr(under + 1, arrow - under - 1),
              output = labels.substr(arrow + 2);
  if (input.size() != lhs.dimensions.size() || kernel.size() != rhs.dimensions.size() ||
      output.size() != lhs.dimensions.size() || dimensions->size() + 2 != output.size()) {
    return fail("has `dim_labels` of a different rank than its operands");
  }
  const Value *groups = instruction.find("batch_group_count");
  int64_t batchGroups = groups ? groups->integer().value_or(0) : 1;
  Dimensions result;
  for (char label : output) {
    size_t inInput = input.find(label), inKernel = kernel.find('o');
    std::optional<Dimension> dimension;
    if (label == 'f' && inKernel != std::string::npos) {
      dimension = rhs.dimensions[inKernel];
    } else if (label == 'b' && inInput != std::string::npos && batchGroups > 0) {
      dimension = sized(lhs.dimensions[inInput], lhs.dimensions[inInput].size / batchGroups);
    } else if (label >= '0' && label <= '9' && inInput != std::string::npos &&
               static_cast<size_t>(label - '0') < dimensions->size()) {
      dimension =
          windowed(lhs.dimensions[inInput], (*dimensions)[static_cast<size_t>(label - '0')]);
    }
    if (!dimension) {
      return fail("has incomplete `dim_labels`");
    }
    result.push_back(*dimension);
  }
  return arrayOf(Text(widerElement(lhs.element, rhs.element)), std::move(result));
}

Inference::Result Inference::fft() {
  const Value *kind = instruction.find("fft_type");
  auto lengths = numbers("fft_length");
  Shape shape = operand(0);
  std::optional<ElementType> type = shape.elementType();
  if (!kind || !lengths || !type) {
    return fail("has no `fft_type` and `fft_length`, or an unknown element type");
  }
  bool toComplex = kind->isWord("RFFT"), toReal = kind->isWord("IRFFT");
  if (!toComplex && !toReal) {
    return shape;
  }
  if (lengths->empty() || shape.dimensions.empty()) {
    return fail("has an empty `fft_length`");
  }
  if (toComplex) {
    shape.element = *type == ElementType::F64 ? "c128" : "c64";
  } else if (isComplex(*type)) {
    shape.element = hloName(partOf(*type));
  }
  if (int64_t length = lengths->back(); length > 0) {
    shape.dimensions.back().size = toComplex ? length / 2 + 1 : length;
  }
  return shape;
}

} // namespace drumlin::hlo

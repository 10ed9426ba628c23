// Infers a result's shape as XLA's shape_inference.cc does for texts that leave shapes out. A shape
// may be inferred even if the operands don't match. Verification then rejects the instruction. This
// file has the helpers of all rules, and the rules for elementwise operations and tuples.
#include "drumlin/hlo/ResultShapes.h"

#include "drumlin/hlo/CrossList.h"

#include <algorithm>
#include <tuple>

namespace drumlin::hlo {

//===-- element types -------------------------------------------------------------------------===//

ElementType partOf(ElementType type) {
  return type == ElementType::C64 ? ElementType::F32 : ElementType::F64;
}

static auto precedence(ElementType type) {
  ElementType part = isComplex(type) ? partOf(type) : type;
  double range = isFloat(part) ? largestFinite(part) : -1.0;
  return std::tuple(isComplex(type), range, info(part).mantissaBits, info(part).bits,
                    isSigned(part));
}

std::string_view widerElement(std::string_view a, std::string_view b) {
  std::optional<ElementType> first = elementTypeFromHloName(a), second = elementTypeFromHloName(b);
  return first && second && precedence(*second) > precedence(*first) ? b : a;
}

static bool areBothFloats(const Text &a, const Text &b) {
  std::optional<ElementType> first = elementTypeFromHloName(a), second = elementTypeFromHloName(b);
  return first && second && isFloat(*first) && isFloat(*second);
}

//===-- dimensions ----------------------------------------------------------------------------===//

Shape arrayOf(const Text &element, Dimensions dimensions) {
  Shape shape;
  shape.element = element;
  shape.dimensions = std::move(dimensions);
  return shape;
}

Shape tupleOf(List<Shape> elements) {
  Shape shape;
  shape.kind = Shape::Kind::Tuple;
  shape.elements = std::move(elements);
  return shape;
}

bool contains(std::span<const int64_t> numbers, size_t number) {
  return std::find(numbers.begin(), numbers.end(), static_cast<int64_t>(number)) != numbers.end();
}

std::optional<Dimension> sized(const Dimension &from, __int128 size) {
  if (from.size < 0) {
    return from;
  }
  if (size < 0 || size > INT64_MAX) {
    return std::nullopt;
  }
  return Dimension{static_cast<int64_t>(size), from.dynamic};
}

std::nullopt_t Inference::fail(const std::string &why) {
  if (reason.empty()) {
    reason = "the shape of `" + (instruction.name.empty() ? instruction.opcode : instruction.name) +
             "` is left out, but `" + instruction.opcode + "` " + why;
  }
  return std::nullopt;
}

//===-- attributes ----------------------------------------------------------------------------===//

std::optional<std::vector<int64_t>> Inference::numbers(std::string_view attribute) {
  const Value *value = instruction.find(attribute);
  std::optional<std::vector<int64_t>> found = value ? value->integers() : std::nullopt;
  if (!found) {
    return fail("has no list of numbers `" + std::string(attribute) + "`");
  }
  return found;
}

std::optional<std::vector<int64_t>> Inference::numbersOrNone(std::string_view attribute) {
  return instruction.find(attribute) ? numbers(attribute) : std::vector<int64_t>();
}

std::optional<int64_t> Inference::number(std::string_view attribute) {
  const Value *value = instruction.find(attribute);
  std::optional<int64_t> found = value ? value->integer() : std::nullopt;
  if (!found) {
    return fail("has no number `" + std::string(attribute) + "`");
  }
  return found;
}

std::optional<size_t> Inference::dimension() {
  auto given = numbers("dimensions");
  if (!given || given->size() != 1 || given->front() < 0 ||
      static_cast<size_t>(given->front()) >= operand(0).dimensions.size()) {
    return fail("has no `dimensions` that names one dimension of its operand");
  }
  return static_cast<size_t>(given->front());
}

Inference::Result Inference::rootOf(std::string_view attribute) {
  const Value *value = instruction.find(attribute);
  if (value && value->kind == Value::Kind::List) {
    value = value->items.empty() ? nullptr : &value->items[0];
  }
  if (!value || !value->computation()) {
    return fail("names no computation as `" + std::string(attribute) + "`");
  }
  return value->computation()->root()->shape;
}

std::optional<std::vector<WindowDimension>> Inference::window() {
  const Value *value = instruction.find("window");
  std::vector<WindowDimension> dimensions;
  auto read = [&](std::string_view part, size_t width, auto set) {
    const Value *text = value ? value->find(part) : nullptr;
    auto list = text ? parseCrossList(text->text) : std::nullopt;
    if (!text) {
      return true;
    }
    if (!list) {
      return false;
    }
    if (part == "size") {
      dimensions.resize(list->size());
    }
    for (size_t i = 0; i < list->size(); ++i) {
      if ((*list)[i].size() != width || i >= dimensions.size()) {
        return false;
      }
      set(dimensions[i], (*list)[i]);
    }
    return true;
  };
  using Numbers = std::vector<int64_t>;
  bool isRead =
      read("size", 1, [](WindowDimension &to, const Numbers &from) { to.size = from[0]; }) &&
      read("stride", 1, [](WindowDimension &to, const Numbers &from) { to.stride = from[0]; }) &&
      read("pad", 2,
           [](WindowDimension &to, const Numbers &from) {
             to.low = from[0];
             to.high = from[1];
           }) &&
      read("lhs_dilate", 1,
           [](WindowDimension &to, const Numbers &from) { to.baseDilation = from[0]; }) &&
      read("rhs_dilate", 1,
           [](WindowDimension &to, const Numbers &from) { to.windowDilation = from[0]; });
  bool isPositive = std::all_of(dimensions.begin(), dimensions.end(), [](const auto &each) {
    return each.size >= 0 && each.stride > 0 && each.baseDilation > 0 && each.windowDilation > 0;
  });
  if (!isRead || !isPositive) {
    return fail("has an invalid `window`");
  }
  return dimensions;
}

// Returns the result's size along a dimension: the number of window positions.
std::optional<Dimension> Inference::windowed(const Dimension &base, const WindowDimension &window) {
  auto dilated = [](int64_t size, int64_t dilation) {
    return size == 0 ? __int128(0) : (__int128(size) - 1) * dilation + 1;
  };
  __int128 padded = dilated(base.size, window.baseDilation) + window.low + window.high;
  __int128 covered = dilated(window.size, window.windowDilation);
  __int128 count = padded < covered || padded <= 0 ? 0 : (padded - covered) / window.stride + 1;
  return sized(base, count);
}

//===-- elementwise ---------------------------------------------------------------------------===//

// Returns the common dimensions of operands `begin` to `end`, with their widest element type. Like
// XLA, broadcasts scalars and dimensions of size 1, although verification rejects these later.
Inference::Result Inference::wider(size_t begin, size_t end) {
  Shape shape = operand(begin);
  for (size_t i = begin + 1; i < end; ++i) {
    const Shape &next = operand(i);
    bool isSameKind = isArray(shape) && isArray(next) &&
                      (shape.element == next.element || areBothFloats(shape.element, next.element));
    if (!isSameKind) {
      return fail("has operands of different types");
    }
    Text element(widerElement(shape.element, next.element));
    if (shape.dimensions.empty()) {
      shape = next;
    } else if (!next.dimensions.empty()) {
      if (shape.dimensions.size() != next.dimensions.size()) {
        return fail("has operands of different ranks");
      }
      for (size_t d = 0; d < next.dimensions.size(); ++d) {
        Dimension &to = shape.dimensions[d];
        const Dimension &from = next.dimensions[d];
        bool isAny = to.size < 0 || from.size < 0;
        if (!isAny && to.size != from.size && to.size != 1 && from.size != 1) {
          return fail("has operands of different sizes");
        }
        to.size = isAny ? std::max(to.size, from.size) : to.size == 1 ? from.size : to.size;
        to.dynamic |= from.dynamic;
      }
    }
    shape.element = std::move(element);
  }
  return shape;
}

Inference::Result Inference::predicate() {
  Result shape = wider(0, operandCount());
  if (shape) {
    shape->element = "pred";
  }
  return shape;
}

Inference::Result Inference::realPart() {
  Shape shape = operand(0);
  std::optional<ElementType> type = shape.elementType();
  if (type && isComplex(*type)) {
    shape.element = hloName(partOf(*type));
  }
  return shape;
}

Inference::Result Inference::complex() {
  Result shape = wider(0, operandCount());
  std::optional<ElementType> type = shape ? shape->elementType() : std::nullopt;
  if (!type || (*type != ElementType::F32 && *type != ElementType::F64)) {
    return fail("needs operands of the type f32 or f64");
  }
  shape->element = *type == ElementType::F32 ? "c64" : "c128";
  return shape;
}

//===-- tuples --------------------------------------------------------------------------------===//

Inference::Result Inference::tuple(size_t end) {
  List<Shape> elements;
  for (size_t i = 0; i < end; ++i) {
    elements.push_back(operand(i));
  }
  return tupleOf(std::move(elements));
}

Inference::Result Inference::element() {
  std::optional<int64_t> index = number("index");
  const Shape &of = operand(0);
  if (!index || of.kind != Shape::Kind::Tuple || *index < 0 ||
      static_cast<size_t>(*index) >= of.elements.size()) {
    return fail("has no such element");
  }
  return of.elements[static_cast<size_t>(*index)];
}

Inference::Result Inference::topK() {
  std::optional<int64_t> k = number("k");
  Shape values = operand(0);
  if (!k || *k < 0 || values.dimensions.empty()) {
    return fail("has no valid `k`, or an operand without dimensions");
  }
  values.dimensions.back() = {*k, false};
  values.layout.reset();
  Shape places = values;
  places.element = "s32";
  return tupleOf({std::move(values), std::move(places)});
}

// Returns a tuple of the operand's shape and the shapes of two statistics per feature.
Inference::Result Inference::batchNorm() {
  std::optional<int64_t> feature = number("feature_index");
  const Shape &of = operand(0);
  if (!feature || *feature < 0 || static_cast<size_t>(*feature) >= of.dimensions.size()) {
    return fail("has no such feature dimension");
  }
  Shape each = arrayOf(of.element, {{of.dimensions[static_cast<size_t>(*feature)].size, false}});
  return tupleOf({of, each, each});
}

//===-- the rules -----------------------------------------------------------------------------===//

std::optional<Shape> Inference::infer(InferenceRule rule) {
  switch (rule) {
  case InferenceRule::Stated:
    return fail("doesn't determine it");
  case InferenceRule::First:
    return operand(0);
  case InferenceRule::Second:
    return operand(1);
  case InferenceRule::Wider:
    return wider(0, operandCount());
  case InferenceRule::Choice:
    return wider(1, operandCount());
  case InferenceRule::Predicate:
    return predicate();
  case InferenceRule::RealPart:
    return realPart();
  case InferenceRule::Complex:
    return complex();
  case InferenceRule::Tuple:
    return tuple(operandCount());
  case InferenceRule::Sort:
    return operandCount() == 1 ? Result(operand(0)) : tuple(operandCount());
  case InferenceRule::Scatter:
    return operandCount() < 5 ? Result(operand(0)) : tuple(operandCount() / 2);
  case InferenceRule::Element:
    return element();
  case InferenceRule::TopK:
    return topK();
  case InferenceRule::Token:
    return arrayOf("token", {});
  case InferenceRule::Process:
    return arrayOf("u32", {});
  case InferenceRule::Size:
    return arrayOf("s32", {});
  case InferenceRule::DynamicSize:
    return dynamicSize();
  case InferenceRule::Call:
    return rootOf("to_apply");
  case InferenceRule::Branch:
    return rootOf(instruction.find("branch_computations") ? "branch_computations"
                                                          : "true_computation");
  case InferenceRule::Broadcast:
    return broadcast();
  case InferenceRule::Transpose:
    return transpose();
  case InferenceRule::Concatenate:
    return concatenate();
  case InferenceRule::Pad:
    return pad();
  case InferenceRule::Reduce:
    return reduce();
  case InferenceRule::ReduceWindow:
    return reduceWindow();
  case InferenceRule::Scan:
    return scan();
  case InferenceRule::Dot:
    return dot();
  case InferenceRule::Convolution:
    return convolution();
  case InferenceRule::Fft:
    return fft();
  case InferenceRule::Gather:
    return gather();
  case InferenceRule::Map:
    return map();
  case InferenceRule::BatchNorm:
    return batchNorm();
  }
}

std::optional<Shape> inferShape(const Instruction &instruction, std::string &reason) {
  Inference inference(instruction);
  const OperandRule *rule = findOperandRule(instruction.opcode);
  size_t count = instruction.operands.size();
  bool isCounted =
      rule && count >= rule->least && (rule->most == OperandRule::any || count <= rule->most);
  std::optional<Shape> shape;
  if (isCounted) {
    shape = inference.infer(rule->inference);
    reason = std::move(inference.reason);
  } else {
    reason = "`" + instruction.opcode + "` of " + std::to_string(count) +
             " operands has no shape, and none can be inferred";
  }
  return shape;
}

} // namespace drumlin::hlo

// The shape of a result, from what it is computed of: as XLA's shape_inference.cc has it for texts
// that leave shapes out. What is inferred of operands that don't fit together is refused where the
// instruction is verified.
#include "drumlin/hlo/CrossList.h"
#include "drumlin/hlo/ShapeInference.h"
#include "drumlin/support/FloatFormats.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace drumlin::hlo {

//===-- element types -------------------------------------------------------------------------===//

static ElementType partOf(ElementType type) {
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

using Dimensions = List<Dimension>;

static Shape arrayOf(const Text &element, Dimensions dimensions) {
  Shape shape;
  shape.element = element;
  shape.dimensions = std::move(dimensions);
  return shape;
}

static Shape tupleOf(List<Shape> elements) {
  Shape shape;
  shape.kind = Shape::Kind::Tuple;
  shape.elements = std::move(elements);
  return shape;
}

static bool isArray(const Shape &shape) { return shape.kind == Shape::Kind::Array; }

static bool contains(std::span<const int64_t> numbers, size_t number) {
  return std::find(numbers.begin(), numbers.end(), static_cast<int64_t>(number)) != numbers.end();
}

// A size that is counted; nothing where it is no size. Sizes without a bound stay so.
static std::optional<Dimension> sized(const Dimension &from, __int128 size) {
  if (from.size < 0) {
    return from;
  }
  if (size < 0 || size > INT64_MAX) {
    return std::nullopt;
  }
  return Dimension{static_cast<int64_t>(size), from.dynamic};
}

namespace {
// What one dimension of a window says.
struct WindowDimension {
  int64_t size = 1, stride = 1, low = 0, high = 0, baseDilation = 1, windowDilation = 1;
};

// Infers one instruction's shape. Its functions give nothing after `fail`.
class Inference {
public:
  explicit Inference(const Instruction &instruction) : instruction(instruction) {}

  std::optional<Shape> infer(InferenceRule rule);
  std::string reason;

private:
  using Result = std::optional<Shape>;

  std::nullopt_t fail(const std::string &why);
  size_t operandCount() const { return instruction.operands.size(); }
  const Shape &operand(size_t number) const {
    return instruction.operands[number].instruction->shape;
  }
  // Of an attribute that must be there.
  std::optional<std::vector<int64_t>> numbers(std::string_view attribute);
  std::optional<std::vector<int64_t>> numbersOrNone(std::string_view attribute);
  std::optional<int64_t> number(std::string_view attribute);
  // One that is a dimension of the first operand.
  std::optional<size_t> dimension();
  // The root's shape of the computation that an attribute names, of several the first.
  Result rootOf(std::string_view attribute);
  std::optional<std::vector<WindowDimension>> window();
  std::optional<Dimension> windowed(const Dimension &base, const WindowDimension &window);

  Result wider(size_t begin, size_t end);
  Result predicate();
  Result realPart();
  Result complex();
  Result tuple(size_t end);
  Result element();
  Result topK();
  Result dynamicSize();
  Result broadcast();
  Result transpose();
  Result concatenate();
  Result pad();
  Result reduce();
  Result reduceWindow();
  Result scan();
  Result dot();
  Result convolution();
  Result fft();
  Result gather();
  Result map();
  Result batchNorm();

  const Instruction &instruction;
};
} // namespace

std::nullopt_t Inference::fail(const std::string &why) {
  if (reason.empty()) {
    reason = "the shape of `" + (instruction.name.empty() ? instruction.opcode : instruction.name) +
             "` is left out, and `" + instruction.opcode + "` " + why;
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
    return fail("has no `dimensions` that is one of its operand's");
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
    return fail("has a `window` that isn't one of sizes, strides, padding and dilations");
  }
  return dimensions;
}

// How often the window fits along a dimension.
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

// The operands' common dimensions, of the widest type. XLA lets scalars and dimensions of one
// element be repeated here, and refuses the instruction afterwards.
Inference::Result Inference::wider(size_t begin, size_t end) {
  Shape shape = operand(begin);
  for (size_t i = begin + 1; i < end; ++i) {
    const Shape &next = operand(i);
    bool isSameKind = isArray(shape) && isArray(next) &&
                      (shape.element == next.element || areBothFloats(shape.element, next.element));
    if (!isSameKind) {
      return fail("has operands of several types");
    }
    Text element(widerElement(shape.element, next.element));
    if (shape.dimensions.empty()) {
      shape = next;
    } else if (!next.dimensions.empty()) {
      if (shape.dimensions.size() != next.dimensions.size()) {
        return fail("has operands of several ranks");
      }
      for (size_t d = 0; d < next.dimensions.size(); ++d) {
        Dimension &to = shape.dimensions[d];
        const Dimension &from = next.dimensions[d];
        bool isAny = to.size < 0 || from.size < 0;
        if (!isAny && to.size != from.size && to.size != 1 && from.size != 1) {
          return fail("has operands of several sizes");
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
    return fail("takes parts of the type f32 or f64");
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
    return fail("has no dimension to choose of");
  }
  values.dimensions.back() = {*k, false};
  values.layout.reset();
  Shape places = values;
  places.element = "s32";
  return tupleOf({std::move(values), std::move(places)});
}

// The operand, then two of its features' statistics.
Inference::Result Inference::batchNorm() {
  std::optional<int64_t> feature = number("feature_index");
  const Shape &of = operand(0);
  if (!feature || *feature < 0 || static_cast<size_t>(*feature) >= of.dimensions.size()) {
    return fail("has no such feature dimension");
  }
  Shape each = arrayOf(of.element, {{of.dimensions[static_cast<size_t>(*feature)].size, false}});
  return tupleOf({of, each, each});
}

//===-- data movement -------------------------------------------------------------------------===//

Inference::Result Inference::dynamicSize() {
  std::optional<size_t> along = dimension();
  Shape shape = operand(0);
  if (along) {
    shape.dimensions[*along].dynamic = true;
  }
  return along ? Result(shape) : std::nullopt;
}

// XLA's parser takes `dimensions` for sizes in front of the operand's, so that only those of
// scalars with `dimensions={}` are what they should be.
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
      return fail("has `dimensions` that aren't its operand's");
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
      return fail("has operands of several ranks");
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
      return fail("has a `padding` that leaves nothing");
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
    return fail("has another number of `offset_dims` than its windows have dimensions");
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

//===-- reductions ----------------------------------------------------------------------------===//

// The elements are what the computation gives.
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

// The elements are of the initial value's type.
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
      return fail("has a `window` of another rank than its operand");
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

// What the computation gives; the outputs, which stand before the carries, are stacked.
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
      return fail("goes along a dimension that its output can't have");
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

//===-- products ------------------------------------------------------------------------------===//

// Batch dimensions, then what is left of both operands. Ragged contraction gives a product for each
// group in front; other groups are a dimension of the second operand that the result doesn't have.
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
      return fail("has batch dimensions that aren't its operand's");
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

// `b01f_01io->b01f`: where each operand and the result has its batch, features and space.
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
    return fail("has `dim_labels` of another rank than its operands");
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
      return fail("has `dim_labels` of which some are missing");
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
    return fail("says no `fft_type` and `fft_length`");
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

//===-- the rules -----------------------------------------------------------------------------===//

std::optional<Shape> Inference::infer(InferenceRule rule) {
  switch (rule) {
  case InferenceRule::Stated:
    return fail("doesn't tell it");
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

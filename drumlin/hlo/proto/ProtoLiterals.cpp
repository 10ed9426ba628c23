#include "drumlin/hlo/proto/ProtoLiterals.h"

#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>

namespace drumlin::hlo {

static Diagnostic invalid(std::string message) {
  return diagnose(errors::HloProtoInvalid, std::move(message));
}

//===-- numbers -------------------------------------------------------------------------------===//

static std::string general(double number, int digits) {
  char text[64];
  auto [end, error] =
      std::to_chars(text, text + sizeof(text), number, std::chars_format::general, digits);
  return std::string(text, end);
}

// Prints a NaN, with its fraction bits unless they are those of the default NaN.
static std::string nanText(ElementType type, uint64_t pattern) {
  const ElementTypeInfo &format = info(type);
  uint64_t fraction = pattern & ((uint64_t(1) << format.mantissaBits) - 1);
  bool isNegative = (pattern >> (format.bits - 1) & 1) != 0;
  std::string text = isNegative ? "-nan" : "nan";
  if (format.specials == FloatSpecials::Ieee && fraction != uint64_t(1)
                                                                << (format.mantissaBits - 1)) {
    char digits[20];
    auto [end, error] = std::to_chars(digits, digits + sizeof(digits), fraction, 16);
    text.append("(0x").append(digits, end).append(")");
  }
  return text;
}

// Prints a float like XLA, which prints an f32 or f64 with fewer digits if these already identify
// the number.
static std::string floatText(ElementType type, uint64_t pattern) {
  double number = decode(type, pattern);
  if (std::isnan(number)) {
    return nanText(type, pattern);
  }
  if (std::isinf(number)) {
    return number < 0 ? "-inf" : "inf";
  }
  if (type == ElementType::F32) {
    std::string text = general(number, 6);
    float again = 0;
    std::from_chars(text.data(), text.data() + text.size(), again);
    return again == static_cast<float>(number) ? text : general(number, 9);
  }
  if (type == ElementType::F64) {
    std::string text = general(number, 15);
    double again = 0;
    std::from_chars(text.data(), text.data() + text.size(), again);
    return again == number ? text : general(number, 17);
  }
  // The decimal digits needed for the mantissa and the implied bit.
  return general(number, static_cast<int>(std::ceil((info(type).mantissaBits + 1) * 0.30103 + 1)));
}

static uint64_t bitsOf(float number) {
  uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

static uint64_t bitsOf(double number) {
  uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

// Returns little-endian element `i` of type `Stored` as an integer.
template <typename Stored> static int64_t fromBytes(std::string_view bytes, int64_t i) {
  Stored number = 0;
  std::memcpy(&number, bytes.data() + i * sizeof(Stored), sizeof(Stored));
  return number;
}

static int64_t signExtended(uint8_t byte, unsigned bits) {
  return static_cast<int8_t>(static_cast<uint8_t>(byte << (8 - bits))) >> (8 - bits);
}

//===-- elements ------------------------------------------------------------------------------===//

namespace {
// The elements of an array literal, in memory order.
struct Elements {
  int64_t count = 0;
  std::function<std::string(int64_t)> text;
};
} // namespace

// Unpacks repeated numbers, for random access.
template <typename T> static std::vector<T> unpacked(const proto::Numbers<T> &packed) {
  std::vector<T> numbers;
  numbers.reserve(packed.size());
  for (T number : packed) {
    numbers.push_back(number);
  }
  return numbers;
}

template <typename T> static Elements integers(const proto::Numbers<T> &packed) {
  std::vector<T> numbers = unpacked(packed);
  auto count = static_cast<int64_t>(numbers.size());
  return {count, [numbers = std::move(numbers)](int64_t i) {
            return std::to_string(numbers[static_cast<size_t>(i)]);
          }};
}

template <typename Stored> static Elements integerBytes(std::string_view bytes) {
  return {static_cast<int64_t>(bytes.size() / sizeof(Stored)),
          [bytes](int64_t i) { return std::to_string(fromBytes<Stored>(bytes, i)); }};
}

static Elements smallIntegers(std::string_view bytes, unsigned bits, bool isSigned) {
  return {static_cast<int64_t>(bytes.size()), [bytes, bits, isSigned](int64_t i) {
            uint8_t byte = static_cast<uint8_t>(bytes[static_cast<size_t>(i)]);
            return std::to_string(isSigned ? signExtended(byte, bits) : byte & ((1 << bits) - 1));
          }};
}

template <typename Stored> static Elements floatBytes(std::string_view bytes, ElementType type) {
  return {static_cast<int64_t>(bytes.size() / sizeof(Stored)), [bytes, type](int64_t i) {
            return floatText(type, static_cast<uint64_t>(fromBytes<Stored>(bytes, i)));
          }};
}

template <typename T> static Elements floats(const proto::Numbers<T> &packed, ElementType type) {
  std::vector<T> numbers = unpacked(packed);
  auto count = static_cast<int64_t>(numbers.size());
  return {count, [numbers = std::move(numbers), type](int64_t i) {
            return floatText(type, bitsOf(numbers[static_cast<size_t>(i)]));
          }};
}

template <typename T>
static Elements complexNumbers(const proto::Numbers<T> &packed, ElementType part) {
  Elements parts = floats(packed, part);
  return {parts.count / 2, [text = std::move(parts.text)](int64_t i) {
            return "(" + text(2 * i) + ", " + text(2 * i + 1) + ")";
          }};
}

// Returns the elements of a literal; nullopt for unsupported element types.
static std::optional<Elements> elementsOf(const proto::LiteralProto &message) {
  switch (message.shape().element_type()) {
  case proto::PRED: {
    bool isScalar = message.shape().dimensions_size() == 0;
    std::vector<bool> preds(message.preds().begin(), message.preds().end());
    auto count = static_cast<int64_t>(preds.size());
    return Elements{count, [preds = std::move(preds), isScalar](int64_t i) -> std::string {
                      bool isTrue = preds[static_cast<size_t>(i)];
                      return isScalar ? (isTrue ? "true" : "false") : (isTrue ? "1" : "0");
                    }};
  }
  case proto::S1:
    return smallIntegers(message.s1s(), 1, true);
  case proto::S2:
    return smallIntegers(message.s2s(), 2, true);
  case proto::S4:
    return smallIntegers(message.s4s(), 4, true);
  case proto::U1:
    return smallIntegers(message.u1s(), 1, false);
  case proto::U2:
    return smallIntegers(message.u2s(), 2, false);
  case proto::U4:
    return smallIntegers(message.u4s(), 4, false);
  case proto::S8:
    return integerBytes<int8_t>(message.s8s());
  case proto::U8:
    return integerBytes<uint8_t>(message.u8s());
  case proto::S16:
    return integerBytes<int16_t>(message.s16s());
  case proto::U16:
    return integerBytes<uint16_t>(message.u16s());
  case proto::S32:
    return integers(message.s32s());
  case proto::S64:
    return integers(message.s64s());
  case proto::U32:
    return integers(message.u32s());
  case proto::U64:
    return integers(message.u64s());
  case proto::F32:
    return floats(message.f32s(), ElementType::F32);
  case proto::F64:
    return floats(message.f64s(), ElementType::F64);
  case proto::C64:
    return complexNumbers(message.c64s(), ElementType::F32);
  case proto::C128:
    return complexNumbers(message.c128s(), ElementType::F64);
  case proto::F16:
    return floatBytes<uint16_t>(message.f16s(), ElementType::F16);
  case proto::BF16:
    return floatBytes<uint16_t>(message.bf16s(), ElementType::BF16);
  case proto::F8E5M2:
    return floatBytes<uint8_t>(message.f8e5m2s(), ElementType::F8E5M2);
  case proto::F8E4M3:
    return floatBytes<uint8_t>(message.f8e4m3s(), ElementType::F8E4M3);
  case proto::F8E4M3FN:
    return floatBytes<uint8_t>(message.f8e4m3fns(), ElementType::F8E4M3FN);
  case proto::F8E4M3B11FNUZ:
    return floatBytes<uint8_t>(message.f8e4m3b11fnuzs(), ElementType::F8E4M3B11FNUZ);
  case proto::F8E3M4:
    return floatBytes<uint8_t>(message.f8e3m4s(), ElementType::F8E3M4);
  case proto::F8E5M2FNUZ:
    return floatBytes<uint8_t>(message.f8e5m2fnuzs(), ElementType::F8E5M2FNUZ);
  case proto::F8E4M3FNUZ:
    return floatBytes<uint8_t>(message.f8e4m3fnuzs(), ElementType::F8E4M3FNUZ);
  case proto::F4E2M1FN:
    return floatBytes<uint8_t>(message.f4e2m1fns(), ElementType::F4E2M1FN);
  case proto::F8E8M0FNU:
    return floatBytes<uint8_t>(message.f8e8m0fnus(), ElementType::F8E8M0FNU);
  default:
    return std::nullopt;
  }
}

//===-- lists ---------------------------------------------------------------------------------===//

namespace {
class ArrayValue {
public:
  ArrayValue(const proto::ShapeProto &shape, const Elements &elements, Arena &arena)
      : elements(elements), arena(arena) {
    for (int64_t size : shape.dimensions()) {
      sizes.push_back(size);
    }
    std::vector<int64_t> order;
    for (int64_t dimension : shape.layout().minor_to_major()) {
      order.push_back(dimension);
    }
    strides.resize(sizes.size());
    int64_t stride = 1;
    for (size_t i = 0; i < sizes.size(); ++i) {
      bool hasLayout = order.size() == sizes.size();
      size_t dimension = hasLayout ? static_cast<size_t>(order[i]) : sizes.size() - 1 - i;
      strides[dimension] = stride;
      stride *= sizes[dimension];
    }
  }

  // Returns the nested lists for the dimensions from `dimension` on. Their elements begin at
  // `offset` in memory.
  Value list(size_t dimension, int64_t offset) const {
    if (dimension == sizes.size()) {
      return number(offset);
    }
    List<Value> items;
    items.reserve(static_cast<size_t>(sizes[dimension]), arena);
    for (int64_t i = 0; i < sizes[dimension]; ++i) {
      items.push_back(list(dimension + 1, offset + i * strides[dimension]));
      // In arrays of rank 4 and more, XLA prints an index comment in all but the two last
      // dimensions.
      List<Value> &inner = items.back().items;
      if (sizes.size() > 3 && dimension + 2 < sizes.size() && !inner.empty()) {
        inner[0].comment = std::make_unique<Comment>();
        inner[0].comment->text = "i" + std::to_string(dimension) + "=" + std::to_string(i);
        inner[0].comment->after.spaces = 1;
      }
    }
    // A list with one number has no spaces inside its braces.
    bool isInner = dimension + 1 == sizes.size();
    bool isPadded = sizes.size() > 1 && items.size() > (isInner ? 1 : 0);
    Value value = Value::list('{', std::move(items), /*spaced=*/true);
    if (value.items.empty() && !isInner) {
      value.beforeClose.spaces = 2;
    }
    if (isPadded) {
      value.items[0].before.spaces = value.beforeClose.spaces = 1;
    }
    return value;
  }

private:
  Value number(int64_t offset) const {
    std::string text = elements.text(offset);
    if (!text.starts_with("(")) {
      return part(text);
    }
    std::string_view complex = text;
    size_t comma = complex.find(',');
    List<Value> parts;
    parts.reserve(2, arena);
    parts.push_back(part(complex.substr(1, comma - 1)));
    parts.push_back(part(complex.substr(comma + 2, complex.size() - comma - 3)));
    return Value::list('(', std::move(parts), /*spaced=*/true);
  }

  Value part(std::string_view text) const {
    Value value;
    value.text.assign(text, arena);
    if (text.back() >= '0' && text.back() <= '9') {
      value.kind = Value::Kind::Number;
    }
    return value;
  }

  const Elements &elements;
  Arena &arena;
  std::vector<int64_t> sizes, strides;
};
} // namespace

// Returns the number of elements; nullopt if it exceeds 63 bits, if the value would need too many
// lists, or if the layout repeats a dimension or has an invalid one.
static std::optional<int64_t> countOf(const proto::ShapeProto &shape) {
  int64_t count = 1, lists = 1;
  for (int64_t size : shape.dimensions()) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) {
      return std::nullopt;
    }
    // Empty lists need memory too.
    constexpr int64_t maxLists = int64_t(1) << 31;
    lists *= size == 0 ? 1 : std::min(size, maxLists);
    if (lists > maxLists) {
      return std::nullopt;
    }
  }
  std::vector<bool> seen(shape.dimensions_size());
  for (int64_t dimension : shape.layout().minor_to_major()) {
    auto place = static_cast<size_t>(dimension);
    if (place >= seen.size() || seen[place]) {
      return std::nullopt;
    }
    seen[place] = true;
  }
  return count == 0 && lists > (1 << 20) ? std::nullopt : std::optional(count);
}

Result<Value> readLiteral(const proto::LiteralProto &message, Arena &arena) {
  if (message.shape().element_type() == proto::TUPLE) {
    List<Value> items;
    for (proto::LiteralProto element : message.tuple_literals()) {
      Result<Value> item = readLiteral(element, arena);
      if (!item) {
        return item.error();
      }
      items.push_back(std::move(*item));
    }
    Value value = Value::list('(', std::move(items), /*spaced=*/true);
    if (!value.items.empty()) {
      value.items[0].before.spaces = value.beforeClose.spaces = 1;
    }
    return value;
  }
  std::optional<int64_t> count = countOf(message.shape());
  if (!count) {
    return invalid("a constant's shape is not a valid array shape");
  }
  std::optional<Elements> elements = elementsOf(message);
  if (!elements) {
    return invalid("unsupported constant of element type `" +
                   std::string(elementName(message.shape().element_type())) + "`");
  }
  if (elements->count != *count) {
    return invalid("a constant of shape `" + readShape(message.shape()).str() + "` has " +
                   std::to_string(elements->count) + " elements");
  }
  return ArrayValue(message.shape(), *elements, arena).list(0, 0);
}

} // namespace drumlin::hlo

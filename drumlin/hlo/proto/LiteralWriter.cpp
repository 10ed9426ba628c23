#include "drumlin/hlo/proto/ProtoLiterals.h"
#include "drumlin/support/FloatFormats.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace drumlin::hlo {

//===-- numbers -------------------------------------------------------------------------------===//

// Returns the bits of a signed or unsigned integer, `true` or `false`; nullopt for any other text.
static std::optional<uint64_t> integerBits(const std::string &text) {
  if (text == "true" || text == "false") {
    return text == "true";
  }
  const char *end = text.data() + text.size();
  int64_t number = 0;
  if (auto [at, error] = std::from_chars(text.data(), end, number);
      error == std::errc() && at == end) {
    return static_cast<uint64_t>(number);
  }
  uint64_t large = 0;
  auto [at, error] = std::from_chars(text.data(), end, large);
  return error == std::errc() && at == end ? std::optional(large) : std::nullopt;
}

// Returns the bits of a NaN. The text may state the fraction bits, as in `nan(0x1)`.
static uint64_t nanBits(const std::string &text, ElementType type, std::string_view payload) {
  const ElementTypeInfo &format = info(type);
  double number = std::numeric_limits<double>::quiet_NaN();
  uint64_t sign = uint64_t(1) << (format.bits - 1);
  uint64_t bits = encode(type, number);
  if (format.specials == FloatSpecials::Ieee || format.specials == FloatSpecials::FiniteOnly) {
    bits = text.starts_with("-") ? bits | sign : bits & ~sign;
  }
  uint64_t fraction = 0;
  if (payload.size() > 3 && format.specials == FloatSpecials::Ieee) {
    std::from_chars(payload.data() + 3, payload.data() + payload.size(), fraction, 16);
    uint64_t mask = (uint64_t(1) << format.mantissaBits) - 1;
    bits = (bits & ~mask) | (fraction & mask);
  }
  return bits;
}

static std::optional<uint64_t> floatBits(const std::string &text, ElementType type) {
  size_t nan = text.find("nan");
  if (nan <= 1) {
    return nanBits(text, type, std::string_view(text).substr(nan + 3));
  }
  if (type == ElementType::F32) { // parsed as float, to avoid rounding twice
    float number = 0;
    auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    uint32_t bits = 0;
    std::memcpy(&bits, &number, sizeof(bits));
    return error == std::errc() ? std::optional<uint64_t>(bits) : std::nullopt;
  }
  double number = 0;
  auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(encode(type, number)) : std::nullopt;
}

static float asFloat(uint64_t bits) {
  auto narrow = static_cast<uint32_t>(bits);
  float number = 0;
  std::memcpy(&number, &narrow, sizeof(number));
  return number;
}

static double asDouble(uint64_t bits) {
  double number = 0;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}

//===-- elements ------------------------------------------------------------------------------===//

// Sets the bytes field of the message's element type; false for types stored as numbers.
static bool setBytes(std::string_view bytes, proto::builder::LiteralProto &message) {
  switch (message.shape().element_type()) {
#define DRUMLIN_BYTES(Type, field)                                                                 \
  case proto::Type:                                                                                \
    message.set_##field(bytes);                                                                    \
    return true;
    DRUMLIN_BYTES(S1, s1s)
    DRUMLIN_BYTES(S2, s2s)
    DRUMLIN_BYTES(S4, s4s)
    DRUMLIN_BYTES(S8, s8s)
    DRUMLIN_BYTES(S16, s16s)
    DRUMLIN_BYTES(U1, u1s)
    DRUMLIN_BYTES(U2, u2s)
    DRUMLIN_BYTES(U4, u4s)
    DRUMLIN_BYTES(U8, u8s)
    DRUMLIN_BYTES(U16, u16s)
    DRUMLIN_BYTES(F16, f16s)
    DRUMLIN_BYTES(BF16, bf16s)
    DRUMLIN_BYTES(F8E5M2, f8e5m2s)
    DRUMLIN_BYTES(F8E4M3, f8e4m3s)
    DRUMLIN_BYTES(F8E4M3FN, f8e4m3fns)
    DRUMLIN_BYTES(F8E4M3B11FNUZ, f8e4m3b11fnuzs)
    DRUMLIN_BYTES(F8E3M4, f8e3m4s)
    DRUMLIN_BYTES(F8E5M2FNUZ, f8e5m2fnuzs)
    DRUMLIN_BYTES(F8E4M3FNUZ, f8e4m3fnuzs)
    DRUMLIN_BYTES(F4E2M1FN, f4e2m1fns)
    DRUMLIN_BYTES(F8E8M0FNU, f8e8m0fnus)
#undef DRUMLIN_BYTES
  default:
    return false;
  }
}

static void addNumber(uint64_t bits, proto::builder::LiteralProto &message) {
  switch (message.shape().element_type()) {
  case proto::PRED:
    return message.add_preds(bits != 0);
  case proto::S32:
    return message.add_s32s(static_cast<int32_t>(bits));
  case proto::S64:
    return message.add_s64s(static_cast<int64_t>(bits));
  case proto::U32:
    return message.add_u32s(static_cast<uint32_t>(bits));
  case proto::U64:
    return message.add_u64s(bits);
  case proto::F32:
    return message.add_f32s(asFloat(bits));
  case proto::F64:
    return message.add_f64s(asDouble(bits));
  case proto::C64:
    return message.add_c64s(asFloat(bits));
  case proto::C128:
    return message.add_c128s(asDouble(bits));
  default:
    return;
  }
}

namespace {
// The numbers in nested lists, in the order of the text.
struct Numbers {
  ElementType type; // for complex types, the type of the real and imaginary parts
  bool isFloat = false, isComplex = false;
  std::vector<uint64_t> bits;

  bool addOne(const Value &value) {
    bool isNumber = value.items.empty() && value.kind != Value::Kind::List;
    std::string text = isNumber ? value.text.str() : value.str(); // `nan(0x1)` is a sequence
    std::optional<uint64_t> number = isFloat ? floatBits(text, type) : integerBits(text);
    bits.push_back(number.value_or(0));
    return number.has_value();
  }

  bool add(const Value &value, size_t rank) {
    if (rank == 0) {
      return !isComplex
                 ? addOne(value)
                 : value.items.size() == 2 && addOne(value.items[0]) && addOne(value.items[1]);
    }
    for (const Value &item : value.items) {
      if (!add(item, rank - 1)) {
        return false;
      }
    }
    return value.kind == Value::Kind::List;
  }
};
} // namespace

// Returns each element's position in memory. The result lists the elements in row-major order.
static std::vector<size_t> places(const Shape &shape) {
  size_t rank = shape.dimensions.size();
  std::vector<size_t> strides(rank, 1), order{0};
  size_t stride = 1;
  for (size_t i = 0; i < rank; ++i) {
    bool hasLayout = shape.layout && shape.layout->minorToMajor.size() == rank;
    size_t dimension =
        hasLayout ? static_cast<size_t>(shape.layout->minorToMajor[i]) : rank - 1 - i;
    strides[std::min(dimension, rank - 1)] = stride;
    stride *= static_cast<size_t>(shape.dimensions[std::min(dimension, rank - 1)].size);
  }
  for (size_t dimension = 0; dimension < rank; ++dimension) {
    std::vector<size_t> next;
    for (size_t place : order) {
      for (int64_t i = 0; i < shape.dimensions[dimension].size; ++i) {
        next.push_back(place + static_cast<size_t>(i) * strides[dimension]);
      }
    }
    order = std::move(next);
  }
  return order;
}

bool writeLiteral(const Value &value, const Shape &shape, proto::builder::LiteralProto &message) {
  writeShape(shape, *message.mutable_shape());
  if (shape.kind == Shape::Kind::Tuple) {
    if (value.items.size() != shape.elements.size()) {
      return false;
    }
    for (size_t i = 0; i < value.items.size(); ++i) {
      if (!writeLiteral(value.items[i], shape.elements[i], *message.add_tuple_literals())) {
        return false;
      }
    }
    return true;
  }
  std::optional<ElementType> type = shape.elementType();
  if (!type) {
    return false;
  }
  Numbers numbers{*type, isFloat(*type) || isComplex(*type), isComplex(*type), {}};
  if (isComplex(*type)) {
    numbers.type = *type == ElementType::C64 ? ElementType::F32 : ElementType::F64;
  }
  if (!numbers.add(value, shape.dimensions.size())) {
    return false;
  }
  size_t parts = numbers.isComplex ? 2 : 1, count = 1;
  for (const Dimension &dimension : shape.dimensions) {
    if (__builtin_mul_overflow(count, static_cast<size_t>(dimension.size), &count)) {
      return false;
    }
  }
  if (numbers.bits.size() != count * parts) {
    return false;
  }
  std::vector<uint64_t> memory(numbers.bits.size());
  size_t next = 0;
  for (size_t place : places(shape)) {
    for (size_t part = 0; part < parts; ++part) {
      memory[place * parts + part] = numbers.bits[next++];
    }
  }
  std::string bytes;
  unsigned width = info(*type).bits;
  bool isBytes = setBytes({}, message);
  for (uint64_t bits : memory) {
    if (!isBytes) {
      addNumber(bits, message);
      continue;
    }
    bytes.push_back(static_cast<char>(width < 8 ? bits & ((1U << width) - 1) : bits));
    if (width == 16) {
      bytes.push_back(static_cast<char>(bits >> 8));
    }
  }
  if (isBytes) {
    setBytes(bytes, message);
  }
  return true;
}

} // namespace drumlin::hlo

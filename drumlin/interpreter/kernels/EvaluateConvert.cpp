// convert, bitcast_convert and reduce_precision.
#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/interpreter/kernels/Elements.h"
#include "drumlin/interpreter/kernels/EvaluateElementwise.h"
#include "drumlin/support/diagnostics/InternalErrors.h"

#include <cmath>
#include <limits>

namespace drumlin::interpreter {

// Sets no limit but the machine's memory: results are as large as the operands, which are already
// allocated.
static constexpr KernelOptions asLargeAsOperands{.maxBytes = std::numeric_limits<int64_t>::max()};

// Truncates towards zero and saturates; NaN becomes zero. The largest integer is a power of two
// minus one, which double may not represent. So the value is compared with the power of two.
template <IntegerValue T> static T truncated(double value, unsigned bits) {
  if (std::isnan(value)) {
    return 0;
  }
  if constexpr (std::is_signed_v<T>) {
    double end = std::ldexp(1.0, static_cast<int>(bits) - 1);
    int64_t largest = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
    return value >= end ? largest : value < -end ? -largest - 1 : static_cast<int64_t>(value);
  } else {
    uint64_t largest = ~uint64_t{0} >> (64 - bits);
    return value >= std::ldexp(1.0, static_cast<int>(bits)) ? largest
           : value <= 0                                     ? 0
                                                            : static_cast<uint64_t>(value);
  }
}

template <typename From, typename To> static To convertValue(From value, ElementType to) {
  if constexpr (isComplexValue<From> && isComplexValue<To>) {
    return value;
  } else if constexpr (isComplexValue<From> && isBoolValue<To>) {
    // The specification ignores the imaginary part when it converts complex to any other type.
    return value.real() != 0;
  } else if constexpr (isComplexValue<From>) {
    return convertValue<double, To>(value.real(), to);
  } else if constexpr (isComplexValue<To>) {
    return To(convertValue<From, double>(value, partType(to)), 0.0);
  } else if constexpr (isBoolValue<To>) {
    return value != From(0);
  } else if constexpr (isBoolValue<From>) {
    return value ? To(1) : To(0);
  } else if constexpr (isIntegerValue<From> && isRealValue<To>) {
    // Storing rounds the number to the element type. An f64 is already rounded here; for narrower
    // types, stickyDouble() avoids an error from rounding twice.
    return to == ElementType::F64 ? static_cast<double>(value) : stickyDouble(value);
  } else if constexpr (isRealValue<From> && isIntegerValue<To>) {
    return truncated<To>(value, info(to).bits);
  } else {
    return static_cast<To>(value);
  }
}

template <typename From, typename To>
static Result<Tensor> convertAll(const Tensor &operand, ElementType type) {
  Result<Tensor> made = allocate(type, operand.shape(), asLargeAsOperands);
  if (!made) {
    return made;
  }
  Tensor &result = *made;
  From in[blockElements];
  To out[blockElements];
  for (int64_t first = 0; first < operand.elements(); first += blockElements) {
    int64_t count = std::min(blockElements, operand.elements() - first);
    loadRun<From>(operand.type(), operand.data() + first * storageBytes(operand.type()), in, count);
    for (int64_t i = 0; i < count; ++i) {
      out[i] = convertValue<From, To>(in[i], type);
    }
    storeRun<To>(type, out, result.data() + first * storageBytes(type), count);
  }
  return result;
}

Result<Tensor> convert(const Tensor &operand, ElementType type) {
  if (operand.type() == type) {
    return operand;
  }
  return withValueType(operand.type(), [&]<typename From>() {
    return withValueType(type, [&]<typename To>() { return convertAll<From, To>(operand, type); });
  });
}

// Writes an element's significant bits into a packed bit string, at a position in bits.
static void putBits(std::byte *packed, int64_t position, unsigned bits, const std::byte *element) {
  for (unsigned bit = 0; bit < bits; ++bit, ++position) {
    if ((element[bit / 8] >> (bit % 8) & std::byte{1}) != std::byte{0}) {
      packed[position / 8] |= std::byte{1} << (position % 8);
    }
  }
}

static void takeBits(const std::byte *packed, int64_t position, const ElementTypeInfo &type,
                     std::byte *element) {
  for (unsigned bit = 0; bit < type.bits; ++bit, ++position) {
    if ((packed[position / 8] >> (position % 8) & std::byte{1}) != std::byte{0}) {
      element[bit / 8] |= std::byte{1} << (bit % 8);
    }
  }
  if (type.kind == ElementKind::Signed && type.bits < 8) {
    *element = static_cast<std::byte>(wrap(static_cast<int64_t>(*element), type.bits));
  }
}

Result<Tensor> bitcastConvert(const Tensor &operand, ElementType type, const Shape &shape,
                              const KernelOptions &options) {
  Result<Tensor> result = allocate(type, shape, options);
  if (!result) {
    return result;
  }
  const ElementTypeInfo &from = info(operand.type());
  const ElementTypeInfo &to = info(type);
  int64_t bits = operand.elements() * from.bits;
  if (bits != result->elements() * to.bits) {
    return diagnose(errors::InternalError, "`bitcast_convert` between different numbers of bits");
  }
  if (from.bits == 8 * from.storageBytes && to.bits == 8 * to.storageBytes) {
    if (bits > 0) {
      std::memcpy(result->data(), operand.data(), static_cast<size_t>(operand.bytes()));
    }
    return result;
  }
  std::vector<std::byte> packed(static_cast<size_t>((bits + 7) / 8));
  for (int64_t i = 0; i < operand.elements(); ++i) {
    putBits(packed.data(), i * from.bits, from.bits, operand.data() + i * from.storageBytes);
  }
  for (int64_t i = 0; i < result->elements(); ++i) {
    takeBits(packed.data(), i * to.bits, to, result->data() + i * to.storageBytes);
  }
  return result;
}

// Operates on the element's own bit pattern: rounds the mantissa to nearest even (a carry may raise
// the exponent), then flushes exponents beyond the narrow format's range to infinity or zero.
static uint64_t reducePattern(uint64_t pattern, const ElementTypeInfo &type, unsigned exponentBits,
                              unsigned mantissaBits) {
  uint64_t sign = uint64_t{1} << (type.exponentBits + type.mantissaBits);
  uint64_t exponentMask = ((uint64_t{1} << type.exponentBits) - 1) << type.mantissaBits;
  uint64_t magnitude = pattern & (sign - 1);
  uint64_t signBit = pattern & sign;
  if (magnitude > exponentMask) {
    // Without mantissa bits a NaN can't be distinguished from an infinity.
    return mantissaBits > 0 ? pattern : exponentMask;
  }
  if (mantissaBits < type.mantissaBits) {
    unsigned dropped = type.mantissaBits - mantissaBits;
    uint64_t lowest = uint64_t{1} << dropped;
    uint64_t odd = (magnitude & lowest) >> dropped;
    magnitude += lowest / 2 - 1 + odd;
    magnitude &= ~(lowest - 1);
  }
  if (exponentBits < type.exponentBits) {
    uint64_t bias = (uint64_t{1} << (type.exponentBits - 1)) - 1;
    uint64_t narrowBias = (uint64_t{1} << (exponentBits - 1)) - 1;
    uint64_t exponent = magnitude >> type.mantissaBits;
    if (exponent > bias + narrowBias) {
      magnitude = exponentMask;
    } else if (exponent <= bias - narrowBias) {
      magnitude = 0;
    }
  }
  return signBit | magnitude;
}

// Works on bit patterns of types that have infinities. Numbers of narrow types without infinities
// are converted to f32, which represents all of them, and back.
Result<Tensor> reducePrecision(const Tensor &operand, unsigned exponentBits,
                               unsigned mantissaBits) {
  ElementType type = operand.type();
  if (!isFloat(type)) {
    return unsupportedElementType("reduce_precision", type);
  }
  if (info(type).specials != FloatSpecials::Ieee) {
    Result<Tensor> reduced =
        reducePrecision(*convert(operand, ElementType::F32), exponentBits, mantissaBits);
    return reduced ? convert(*reduced, type) : reduced;
  }
  Result<Tensor> made = allocate(type, operand.shape(), asLargeAsOperands);
  if (!made) {
    return made;
  }
  Tensor &result = *made;
  size_t size = storageBytes(type);
  for (int64_t i = 0; i < operand.elements(); ++i) {
    uint64_t pattern = 0;
    std::memcpy(&pattern, operand.data() + i * static_cast<int64_t>(size), size);
    pattern = reducePattern(pattern, info(type), exponentBits, mantissaBits);
    std::memcpy(result.data() + i * static_cast<int64_t>(size), &pattern, size);
  }
  return result;
}

} // namespace drumlin::interpreter

// The value types in which kernels compute: a few wide types in which one operation is exact enough
// that rounding once to the element type gives the correct result.
//   i1                           bool
//   siN                          int64_t, wrapped to N bits when stored
//   uiN                          uint64_t, wrapped to N bits when stored
//   floating point up to 32 bit  double: for + - * / and sqrt, rounding to double and then to a
//                                format of at most 24 significant bits equals rounding once
//                                (53 >= 2 * 24 + 2, Figueroa 1995)
//   f64                          double, or long double for functions without an exactly rounded
//                                result
//   complex                      std::complex of the type for the real and imaginary parts
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/Tensor.h"

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

namespace drumlin::interpreter {

// Elements per block of decoding, computing and encoding: large enough to hide the dispatch on the
// element type, small enough that three blocks of complex numbers stay in L1.
constexpr int64_t blockElements = 512;

template <typename C> struct IsComplex : std::false_type {};
template <typename T> struct IsComplex<std::complex<T>> : std::true_type {};
template <typename C> constexpr bool isComplexValue = IsComplex<C>::value;
template <typename C> constexpr bool isRealValue = std::is_floating_point_v<C>;
template <typename C> constexpr bool isBoolValue = std::is_same_v<C, bool>;
template <typename C> constexpr bool isIntegerValue = std::is_integral_v<C> && !isBoolValue<C>;

// A constraint for function objects: a plain parameter would also accept the other value types
// through implicit conversions.
template <typename T>
concept BoolValue = std::same_as<T, bool>;
template <typename T>
concept SignedValue = std::same_as<T, int64_t>;
template <typename T>
concept UnsignedValue = std::same_as<T, uint64_t>;
template <typename T>
concept IntegerValue = SignedValue<T> || UnsignedValue<T>;
template <typename T>
concept RealValue = std::floating_point<T>;

template <typename T> inline T loadAs(const std::byte *source) {
  T value;
  std::memcpy(&value, source, sizeof(T));
  return value;
}

template <typename T> inline void storeAs(std::byte *target, T value) {
  std::memcpy(target, &value, sizeof(T));
}

// Keeps the low `bits` of a value: sign-extended for int64_t, zero-extended for uint64_t.
inline int64_t wrap(int64_t value, unsigned bits) {
  unsigned unused = 64 - bits;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused;
}
inline uint64_t wrap(uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

// Decodes `count` elements starting at `source`. C must be the value type of the element type's
// kind, except that real numbers may be read as complex ones.
template <typename C>
void loadRun(ElementType type, const std::byte *source, C *target, int64_t count) {
  if constexpr (isBoolValue<C>) {
    for (int64_t i = 0; i < count; ++i) {
      target[i] = source[i] != std::byte{0};
    }
  } else if constexpr (isIntegerValue<C>) {
    constexpr bool isSignedValue = std::is_signed_v<C>;
    auto run = [&]<typename T>(T) {
      for (int64_t i = 0; i < count; ++i) {
        target[i] = loadAs<T>(source + i * static_cast<int64_t>(sizeof(T)));
      }
    };
    switch (storageBytes(type)) {
    case 1:
      run(std::conditional_t<isSignedValue, int8_t, uint8_t>{});
      break;
    case 2:
      run(std::conditional_t<isSignedValue, int16_t, uint16_t>{});
      break;
    case 4:
      run(std::conditional_t<isSignedValue, int32_t, uint32_t>{});
      break;
    default:
      run(std::conditional_t<isSignedValue, int64_t, uint64_t>{});
      break;
    }
  } else if constexpr (std::is_same_v<C, double>) {
    decodeRun(type, source, target, count);
  } else if constexpr (isRealValue<C>) {
    for (int64_t i = 0; i < count; ++i) {
      target[i] = toDouble(type, source + i * storageBytes(type));
    }
  } else {
    using Part = typename C::value_type;
    for (int64_t i = 0; i < count; ++i) {
      if (type == ElementType::C64) {
        target[i] = C(loadAs<float>(source + i * 8), loadAs<float>(source + i * 8 + 4));
      } else if (type == ElementType::C128) {
        target[i] = C(loadAs<double>(source + i * 16), loadAs<double>(source + i * 16 + 8));
      } else {
        target[i] = C(static_cast<Part>(toDouble(type, source + i * storageBytes(type))), Part(0));
      }
    }
  }
}

// Calls `fn.template operator()<T>()` with the unsigned integer type of `bytes` bytes, at most 8.
template <typename Fn> void withStorageType(int64_t bytes, Fn fn) {
  switch (bytes) {
  case 1:
    return fn.template operator()<uint8_t>();
  case 2:
    return fn.template operator()<uint16_t>();
  case 4:
    return fn.template operator()<uint32_t>();
  default:
    return fn.template operator()<uint64_t>();
  }
}

// Encodes `count` values to `target`, rounding or wrapping each to the element type.
template <typename C>
void storeRun(ElementType type, const C *source, std::byte *target, int64_t count) {
  if constexpr (isBoolValue<C>) {
    for (int64_t i = 0; i < count; ++i) {
      target[i] = std::byte{source[i]};
    }
  } else if constexpr (isIntegerValue<C>) {
    unsigned bits = info(type).bits;
    withStorageType(storageBytes(type), [&]<typename T>() {
      for (int64_t i = 0; i < count; ++i) {
        storeAs<T>(target + i * static_cast<int64_t>(sizeof(T)),
                   static_cast<T>(wrap(source[i], bits)));
      }
    });
  } else if constexpr (std::is_same_v<C, double>) {
    encodeRun(type, source, target, count);
  } else if constexpr (isRealValue<C>) {
    for (int64_t i = 0; i < count; ++i) {
      // Only f64 is computed in long double, so this rounds only once.
      double rounded = static_cast<double>(source[i]);
      encodeRun(type, &rounded, target + i * storageBytes(type), 1);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      if (type == ElementType::C64) {
        storeAs<float>(target + i * 8, static_cast<float>(source[i].real()));
        storeAs<float>(target + i * 8 + 4, static_cast<float>(source[i].imag()));
      } else {
        storeAs<double>(target + i * 16, static_cast<double>(source[i].real()));
        storeAs<double>(target + i * 16 + 8, static_cast<double>(source[i].imag()));
      }
    }
  }
}

// Returns the value as the element type holds it, as if stored and loaded again.
template <typename C> inline C roundValue(ElementType type, C value) {
  if constexpr (isBoolValue<C>) {
    return value;
  } else if constexpr (isIntegerValue<C>) {
    return wrap(value, info(type).bits);
  } else if constexpr (isRealValue<C>) {
    return static_cast<C>(roundTo(type, static_cast<double>(value)));
  } else {
    using Part = typename C::value_type;
    if (type == ElementType::C64) {
      return C(static_cast<Part>(static_cast<float>(value.real())),
               static_cast<Part>(static_cast<float>(value.imag())));
    }
    return value;
  }
}

// Calls `fn.template operator()<C>()` with the value type of elements of `type`.
template <typename Fn> auto withValueType(ElementType type, Fn fn) {
  switch (info(type).kind) {
  case ElementKind::Boolean:
    return fn.template operator()<bool>();
  case ElementKind::Signed:
    return fn.template operator()<int64_t>();
  case ElementKind::Unsigned:
    return fn.template operator()<uint64_t>();
  case ElementKind::Float:
    return fn.template operator()<double>();
  case ElementKind::Complex:
    break;
  }
  return fn.template operator()<std::complex<double>>();
}

// Calls `fn` with the value type of elements of `type`. `wide` selects long double for types as
// precise as double.
template <typename Fn> auto withValueType(ElementType type, bool wide, Fn fn) {
  if (wide && type == ElementType::F64) {
    return fn.template operator()<long double>();
  }
  if (wide && type == ElementType::C128) {
    return fn.template operator()<std::complex<long double>>();
  }
  return withValueType(type, fn);
}

// Decodes all elements of a tensor.
template <typename C> std::unique_ptr<C[]> decodeAll(const Tensor &tensor) {
  auto values = std::make_unique_for_overwrite<C[]>(static_cast<size_t>(tensor.elements()));
  loadRun<C>(tensor.type(), tensor.data(), values.get(), tensor.elements());
  return values;
}

// Return the element type of a complex type's real and imaginary parts, and the complex type whose
// parts have a given type. Other types are returned unchanged.
inline ElementType partType(ElementType type) {
  return type == ElementType::C64    ? ElementType::F32
         : type == ElementType::C128 ? ElementType::F64
                                     : type;
}
inline ElementType complexType(ElementType type) {
  return type == ElementType::F32   ? ElementType::C64
         : type == ElementType::F64 ? ElementType::C128
                                    : type;
}

} // namespace drumlin::interpreter

// The element types of a tensor: all types that the StableHLO specification names ("Types"), in one
// table. Independent of MLIR and LLVM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drumlin {

enum class ElementType : uint8_t {
#define DRUMLIN_ELEMENT_TYPE(Name, ...) Name,
#include "drumlin/support/ElementType.def"
};

enum class ElementKind : uint8_t { Boolean, Signed, Unsigned, Float, Complex };

// The use of a floating-point type's bit patterns beyond the finite numbers.
enum class FloatSpecials : uint8_t {
  None,       // every bit pattern is a finite number (f4E2M1FN, f6*)
  Ieee,       // the highest exponent holds infinities and NaNs
  FiniteOnly, // "FN": no infinity; NaN is all ones without the sign
  Unsigned0,  // "FNUZ": no infinity, no negative zero; NaN is the bit pattern of negative zero
  ScaleOnly,  // f8E8M0FNU: exponent only, no sign, no zero; NaN is all ones
};

struct ElementTypeInfo {
  ElementType type;
  std::string_view name;      // StableHLO's name: `f32`, `i8`, `ui8`, `f8E4M3FN`, `complex<f32>`
  std::string_view numpyName; // numpy's or ml_dtypes' name: `float32`, `float8_e4m3fn`
  ElementKind kind;
  unsigned bits;         // bits of an element: 1, 2, 4, 6, 8 …; of a complex number's both parts
  unsigned storageBytes; // bytes of an element in memory; sub-byte types take one
  unsigned exponentBits; // 0 unless floating point; complex: of the real part
  unsigned mantissaBits; // without the hidden bit; floating point only
  int exponentBias;      // floating point only
  FloatSpecials specials;
};

const ElementTypeInfo &info(ElementType type);
inline std::string_view name(ElementType type) { return info(type).name; }
inline unsigned storageBytes(ElementType type) { return info(type).storageBytes; }
inline bool isFloat(ElementType type) { return info(type).kind == ElementKind::Float; }
inline bool isComplex(ElementType type) { return info(type).kind == ElementKind::Complex; }
inline bool isBoolean(ElementType type) { return info(type).kind == ElementKind::Boolean; }
inline bool isSigned(ElementType type) { return info(type).kind == ElementKind::Signed; }
inline bool isUnsigned(ElementType type) { return info(type).kind == ElementKind::Unsigned; }
inline bool isInteger(ElementType type) { return isSigned(type) || isUnsigned(type); }

// Return the type with a StableHLO or numpy name, or nothing if no type has it.
std::optional<ElementType> elementTypeFromName(std::string_view stablehloName);
std::optional<ElementType> elementTypeFromNumpyName(std::string_view numpyName);

// Returns the number of element types, for tests that iterate over all of them.
size_t elementTypeCount();

} // namespace drumlin

#include "drumlin/support/ElementType.h"

namespace drumlin {

static constexpr ElementTypeInfo elementTypes[] = {
#define DRUMLIN_ELEMENT_TYPE(Name, text, numpy, kind, bits, storage, exponent, mantissa, bias,     \
                             specials)                                                             \
  {ElementType::Name, text,     numpy, ElementKind::kind,      bits, storage,                      \
   exponent,          mantissa, bias,  FloatSpecials::specials},
#include "drumlin/support/ElementType.def"
};

static constexpr size_t elementTypeTableSize = sizeof(elementTypes) / sizeof(elementTypes[0]);

// Checks that the table is in the order of the enumeration, and that the widths of sign, exponent
// and mantissa add up to the width of each floating-point type.
static consteval bool tableIsConsistent() {
  for (size_t i = 0; i < elementTypeTableSize; ++i) {
    const ElementTypeInfo &entry = elementTypes[i];
    if (static_cast<size_t>(entry.type) != i || entry.bits > 8 * entry.storageBytes) {
      return false;
    }
    if (entry.bits > 8 && entry.bits != 8 * entry.storageBytes) {
      return false;
    }
    unsigned signBit = entry.specials == FloatSpecials::ScaleOnly ? 0 : 1;
    unsigned partBits = signBit + entry.exponentBits + entry.mantissaBits;
    if (entry.kind == ElementKind::Float && partBits != entry.bits) {
      return false;
    }
    if (entry.kind == ElementKind::Complex && 2 * partBits != entry.bits) {
      return false;
    }
  }
  return true;
}
static_assert(tableIsConsistent(), "ElementType.def is out of order or a width is wrong");

const ElementTypeInfo &info(ElementType type) { return elementTypes[static_cast<size_t>(type)]; }

std::optional<ElementType> elementTypeFromName(std::string_view stablehloName) {
  for (const ElementTypeInfo &entry : elementTypes) {
    if (entry.name == stablehloName) {
      return entry.type;
    }
  }
  return std::nullopt;
}

std::optional<ElementType> elementTypeFromNumpyName(std::string_view numpyName) {
  for (const ElementTypeInfo &entry : elementTypes) {
    if (entry.numpyName == numpyName) {
      return entry.type;
    }
  }
  return std::nullopt;
}

size_t elementTypeCount() { return elementTypeTableSize; }

} // namespace drumlin

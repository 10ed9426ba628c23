// The names of element types in HLO text.
#pragma once

#include "drumlin/support/ElementType.h"

#include <optional>
#include <string_view>

namespace drumlin::hlo {

// Returns the element type with an HLO name such as `pred`, `s32`, `f8e4m3fn` or `c64`; nullopt for
// `token`, `opaque` and types that Drumlin doesn't support.
std::optional<ElementType> elementTypeFromHloName(std::string_view name);
std::string_view hloName(ElementType type);
// Whether a word before `[` is an element type, and so begins a shape. Accepts `token`, `opaque`
// and types that Drumlin doesn't support.
bool isElementTypeWord(std::string_view word);

} // namespace drumlin::hlo

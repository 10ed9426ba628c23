// Element types by the names that HLO text has for them.
#pragma once

#include "drumlin/support/ElementType.h"

#include <optional>
#include <string_view>

namespace drumlin::hlo {

// HLO's names for element types: `pred`, `s32`, `f8e4m3fn`, `c64`. Nothing for `token`, `opaque`
// and types that Drumlin doesn't have.
std::optional<ElementType> elementTypeFromHloName(std::string_view name);
std::string_view hloName(ElementType type);
// Whether a word before a bracket begins a shape; also for types that Drumlin doesn't have.
bool isElementTypeWord(std::string_view word);

} // namespace drumlin::hlo

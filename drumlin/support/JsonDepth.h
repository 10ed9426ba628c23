// The nesting depth of a JSON text, checked before a recursive parser reads it.
#pragma once

#include <cstddef>
#include <string_view>

namespace drumlin {

// The deepest nesting of any JSON that Drumlin reads.
inline constexpr size_t maxJsonDepth = 64;

// Returns the largest number of objects and arrays open at once. For invalid JSON, returns at least
// the depth that a parser reaches before it notices the error.
size_t jsonDepth(std::string_view text);

} // namespace drumlin

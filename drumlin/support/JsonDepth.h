// How deeply a JSON text nests, before a parser that recurses reads it.
#pragma once

#include <cstddef>
#include <string_view>

namespace drumlin {

// No JSON that Drumlin reads nests more deeply than this.
inline constexpr size_t maxJsonDepth = 64;

// The most objects and arrays that are open at once; of a text that is no JSON, some number that is
// no smaller than what a parser meets before it notices.
size_t jsonDepth(std::string_view text);

} // namespace drumlin

// Finds the name that was probably meant by an unknown word, for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace drumlin {

// Returns the number of characters added, removed or changed between two words.
size_t editDistance(std::string_view a, std::string_view b);

// Returns the name with the smallest `editDistance()` from a word, ignoring case; on a tie, the
// first one. A name that begins with the word has distance one. Returns an empty name if the
// smallest distance exceeds half of the word's length, or both two and a third of the length.
std::string nearestName(std::string_view word, std::span<const std::string> names);

// Returns "did you mean `NAME`?" with the nearest name, or `otherwise` if none is near.
std::string didYouMean(std::string_view word, std::span<const std::string> names,
                       std::string otherwise = "");

} // namespace drumlin

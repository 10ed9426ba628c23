// Finds the name that was probably meant by an unknown word, for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace drumlin {

// Returns how many characters are added, removed or changed between two words.
size_t editDistance(std::string_view a, std::string_view b);

// Returns the first of the names that are nearest to a word: by `editDistance()`, in which capitals
// are small letters, and names that begin with the word differ by one. Empty if none is near: of a
// word's characters half may differ, but only two of up to eight, and a third of more.
std::string nearestName(std::string_view word, std::span<const std::string> names);

// Returns "did you mean `NAME`?" of the nearest name; where none is near, `otherwise`.
std::string didYouMean(std::string_view word, std::span<const std::string> names,
                       std::string otherwise = "");

} // namespace drumlin

// Finds the name that was probably meant by an unknown word, for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace drumlin {

// Returns the number of characters added, removed or changed between two words.
size_t editDistance(std::string_view a, std::string_view b);

// Returns the first of the names nearest to a word by `editDistance()`, ignoring case; a name that
// begins with the word has distance one. Empty if none is near: at most half of the word's
// characters may differ, and either at most two or at most a third of them.
std::string nearestName(std::string_view word, std::span<const std::string> names);

// Returns "did you mean `NAME`?" with the nearest name, or `otherwise` if none is near.
std::string didYouMean(std::string_view word, std::span<const std::string> names,
                       std::string otherwise = "");

} // namespace drumlin

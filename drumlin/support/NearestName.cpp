#include "drumlin/support/NearestName.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace drumlin {

size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) {
    row[j] = j;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

static std::string inSmallLetters(std::string_view word) {
  std::string small(word);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  return small;
}

std::string nearestName(std::string_view word, std::span<const std::string> names) {
  constexpr size_t longest = 256; // longer words aren't near any name
  std::string small = inSmallLetters(word.substr(0, longest));
  std::string best;
  size_t most = std::max(std::min<size_t>(2, small.size() / 2), small.size() / 3);
  size_t least = most + 1;
  for (const std::string &name : names) {
    std::string other = inSmallLetters(name);
    bool isBeginning = other.size() > small.size() && other.starts_with(small);
    size_t changes = isBeginning ? 1 : editDistance(small, other);
    if (changes < least) {
      least = changes;
      best = name;
    }
  }
  return best;
}

std::string didYouMean(std::string_view word, std::span<const std::string> names,
                       std::string otherwise) {
  std::string meant = nearestName(word, names);
  return meant.empty() ? std::move(otherwise) : "did you mean `" + meant + "`?";
}

} // namespace drumlin

// A constant's elements in a few words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin::listing {

// `0.5`, `-1e+20`, with six digits.
std::string numberText(double number);

class ElementSummary {
public:
  // A constant of more elements is summarized.
  static constexpr int64_t maxShown = 16;

  // The next element as the program spells it.
  void add(std::string_view text);
  // Further elements, each from the least to the greatest of those that were added.
  void addBetween(int64_t elements) { added += elements; }
  int64_t count() const { return added; }
  // All of few. Of many `1, 2, 3, … 1024 elements from -4 to 1e+05`, without the range where one is
  // no number.
  std::string text() const;

private:
  static constexpr size_t maxFirst = 4;

  int64_t added = 0;
  std::vector<std::string> first;
  bool areNumbers = true;
  long double low = 0, high = 0; // exact for integers of 64 bits
  std::string lowText, highText;
};

} // namespace drumlin::listing

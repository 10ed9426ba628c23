// Summarizes the elements of a constant.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin::listing {

// Returns the text of a number with at most six significant digits, such as `0.5` or `-1e+20`.
std::string numberText(double number);

class ElementSummary {
public:
  // Constants with more elements than this are summarized.
  static constexpr int64_t maxShown = 16;

  // Adds the next element, as written in the program.
  void add(std::string_view text);
  // Counts `elements` further elements, whose values are in the range of the elements added so far.
  void addBetween(int64_t elements) { added += elements; }
  int64_t count() const { return added; }
  // Returns all elements if there are few, or else a summary such as `1, 2, 3, … 1024 elements from
  // -4 to 1e+05`, without the range if an element isn't a number.
  std::string text() const;

private:
  static constexpr size_t maxFirst = 4;

  int64_t added = 0;
  std::vector<std::string> first;
  bool areNumbers = true;
  long double low = 0, high = 0; // long double, to be exact for 64-bit integers
  std::string lowText, highText;
};

} // namespace drumlin::listing

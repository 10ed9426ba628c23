#include "drumlin/listing/ElementSummary.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace drumlin::listing {

std::string numberText(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", number);
  return text;
}

void ElementSummary::add(std::string_view text) {
  std::string word(text);
  if (added < maxShown) {
    first.push_back(word);
  }
  char *end = nullptr;
  long double number = std::strtold(word.c_str(), &end);
  areNumbers = areNumbers && !word.empty() && *end == 0 && !std::isnan(number);
  if (areNumbers && (added == 0 || number < low)) {
    low = number;
    lowText = word;
  }
  if (areNumbers && (added == 0 || number > high)) {
    high = number;
    highText = word;
  }
  ++added;
}

std::string ElementSummary::text() const {
  if (added <= maxShown) {
    std::string all;
    for (const std::string &element : first) {
      all += (all.empty() ? "" : ", ") + element;
    }
    return all;
  }
  if (areNumbers && added > 0 && low == high) {
    return std::to_string(added) + " elements, all " + lowText;
  }
  std::string text;
  for (size_t i = 0; i < maxFirst; ++i) {
    text += first[i] + ", ";
  }
  text += "… " + std::to_string(added) + " elements";
  return areNumbers ? text + " from " + lowText + " to " + highText : text;
}

} // namespace drumlin::listing

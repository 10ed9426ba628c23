#include "drumlin/listing/ElementSummary.h"

#include <cmath>
#include <cstdlib>

namespace drumlin::listing {

void ElementSummary::add(std::string_view text) {
  std::string word(text);
  if (first.size() < maxFirst) {
    first.push_back(word);
  }
  char *end = nullptr;
  double number = std::strtod(word.c_str(), &end);
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
  if (areNumbers && added > 0 && low == high) {
    return std::to_string(added) + " elements, all " + lowText;
  }
  std::string text;
  for (const std::string &element : first) {
    text += element + ", ";
  }
  text += "… " + std::to_string(added) + " elements";
  return areNumbers ? text + " from " + lowText + " to " + highText : text;
}

} // namespace drumlin::listing

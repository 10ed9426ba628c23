#include "drumlin/listing/fold/Details.h"

#include <algorithm>

namespace drumlin::listing {

// Maximum size in bytes of the text of all attributes of an operation.
static constexpr size_t maxDetails = 100;

namespace {
// An attribute that is left out if all of its items have the default `item`.
struct Usual {
  std::string_view name, item;
};
} // namespace

static constexpr Usual usuals[] = {
    {"base_dilations", "1"},
    {"batch_group_count", "1"},
    {"feature_group_count", "1"},
    {"has_side_effect", "false"},
    {"indices_are_sorted", "false"},
    {"is_stable", "false"},
    {"lhs_dilation", "1"},
    {"operand_precision", "default"},
    {"padding", "0"},
    {"precision_config", "DEFAULT"},
    {"rhs_dilation", "1"},
    {"unique_indices", "false"},
    {"window_dilations", "1"},
    {"window_reversal", "false"},
    {"window_strides", "1"},
};

// Whether all items of a list, or a single value, are equal to `item`.
static bool holdsOnly(std::string_view text, std::string_view item) {
  static constexpr std::string_view separators = "[]{}, ";
  for (size_t at = text.find_first_not_of(separators); at != text.npos;) {
    size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (text.substr(at, end - at) != item) {
      return false;
    }
    at = text.find_first_not_of(separators, end);
  }
  return true;
}

std::string detailsOf(const Instruction &instruction) {
  std::string text;
  for (const Attribute &attribute : printedAttributes(instruction)) {
    bool isUsual = std::any_of(std::begin(usuals), std::end(usuals), [&](const Usual &usual) {
      return attribute.name == usual.name && holdsOnly(attribute.text, usual.item);
    });
    if (!isUsual) {
      text += (text.empty() ? "" : ", ") + attribute.name;
      text += (attribute.text.empty() ? "" : "=") + attribute.text;
    }
  }
  if (text.size() > maxDetails) {
    return std::string(longDetails);
  }
  return text.empty() ? text : "[" + text + "]";
}

} // namespace drumlin::listing

#include "drumlin/listing/Names.h"

#include <unordered_map>

namespace drumlin::listing {

// Returns a name without a number such as `.12` at its end; the name itself if it has none.
static std::string_view withoutNumber(std::string_view name) {
  size_t digits = name.find_last_not_of("0123456789");
  bool ends = digits != name.npos && digits != 0 && digits + 1 < name.size();
  return ends && name[digits] == '.' ? name.substr(0, digits) : name;
}

// Returns the shorter forms of a name with two or more numbers, the shortest first: `a` and `a.1`
// for `a.1.0`.
static std::vector<std::string_view> shorterForms(std::string_view name) {
  std::vector<std::string_view> forms;
  for (std::string_view form = withoutNumber(name); form != name; form = withoutNumber(name)) {
    forms.insert(forms.begin(), form);
    name = form;
  }
  return forms.size() < 2 ? std::vector<std::string_view>() : forms;
}

std::vector<std::string> shortNames(const std::vector<std::string_view> &names) {
  // For each form, the number of names that are equal to it or could be shortened to it.
  std::unordered_map<std::string_view, size_t> claims;
  for (std::string_view name : names) {
    ++claims[name];
    for (std::string_view form = withoutNumber(name); form != name; form = withoutNumber(name)) {
      ++claims[form];
      name = form;
    }
  }
  std::vector<std::string> result;
  result.reserve(names.size());
  for (std::string_view name : names) {
    std::string_view chosen = name;
    for (std::string_view form : shorterForms(name)) {
      if (claims[form] == 1) {
        chosen = form;
        break;
      }
    }
    result.emplace_back(chosen);
  }
  return result;
}

} // namespace drumlin::listing

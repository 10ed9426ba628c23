#include "drumlin/pjrt/XlaOptions.h"

#include "drumlin/support/NearestName.h"
#include "drumlin/support/diagnostics/OptionErrors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace drumlin::pjrt {

static constexpr XlaOption table[] = {
#define XLA_OPTION(name, kind, count, values)                                                      \
  {#name, XlaOptionKind::kind, XlaOptionCount::count, values},
#include "drumlin/pjrt/XlaOptions.def"
};

std::span<const XlaOption> xlaOptions() { return table; }

bool isXlaOption(std::string_view name) { return name.starts_with("xla_"); }

static const XlaOption *findOption(std::string_view name) {
  const XlaOption *found = std::ranges::lower_bound(table, name, {}, &XlaOption::name);
  return found != std::end(table) && found->name == name ? found : nullptr;
}

static const char *nameOf(XlaOptionKind kind) {
  switch (kind) {
  case XlaOptionKind::Bool:
    return "bool";
  case XlaOptionKind::Int32:
    return "int32";
  case XlaOptionKind::Int64:
    return "int64";
  case XlaOptionKind::Float:
    return "float";
  case XlaOptionKind::String:
    return "string";
  case XlaOptionKind::Enum:
    return "enum";
  case XlaOptionKind::Message:
    return "message";
  }
  return "";
}

static std::string_view withoutBlanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

template <typename Integer> static std::optional<Integer> integerIn(std::string_view text) {
  text = withoutBlanks(text);
  if (text.starts_with('+') && !text.starts_with("+-")) {
    text.remove_prefix(1);
  }
  Integer number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool isWhole = error == std::errc() && end == text.data() + text.size();
  return isWhole ? std::optional(number) : std::nullopt;
}

static bool isReal(std::string_view text) {
  std::string digits(withoutBlanks(text));
  char *end = nullptr;
  (void)std::strtod(digits.c_str(), &end);
  return !digits.empty() && end == digits.c_str() + digits.size();
}

static bool isAmong(std::string_view word, std::string_view words) {
  while (!words.empty()) {
    size_t size = std::min(words.find(' '), words.size());
    if (words.substr(0, size) == word) {
      return true;
    }
    words.remove_prefix(std::min(size + 1, words.size()));
  }
  return false;
}

// Whether a text is a valid single value of the option.
static bool isValid(const XlaOption &option, std::string_view text) {
  switch (option.kind) {
  case XlaOptionKind::Bool:
    return text == "True" || text == "False";
  case XlaOptionKind::Int32:
    return integerIn<int32_t>(text).has_value();
  case XlaOptionKind::Int64:
    return integerIn<int64_t>(text).has_value();
  case XlaOptionKind::Float:
    return isReal(text);
  case XlaOptionKind::String:
    return true;
  case XlaOptionKind::Enum: // a number may stand for a value that has no name yet
    return isAmong(text, option.values) || integerIn<int32_t>(text);
  case XlaOptionKind::Message:
    return false;
  }
  return false;
}

namespace {
// XLA's rules for values, one function for each Python type.
struct ValueCheck {
  const XlaOption &option;
  std::string seen = {}; // the invalid value, as XLA prints it

  bool operator()(const std::string &text) {
    if (option.count == XlaOptionCount::One || text.empty()) {
      seen = text;
      return option.count == XlaOptionCount::Several || isValid(option, text);
    }
    for (std::string_view rest = text;;) {
      size_t size = rest.find(',');
      seen = rest.substr(0, size);
      if (!isValid(option, seen)) {
        return false;
      }
      if (size == std::string_view::npos) {
        return true;
      }
      rest.remove_prefix(size + 1);
    }
  }
  bool operator()(bool value) {
    seen = value ? "1" : "0";
    return option.kind == XlaOptionKind::Bool;
  }
  bool operator()(int64_t value) {
    seen = std::to_string(value);
    return option.kind == XlaOptionKind::Int64 || option.kind == XlaOptionKind::Enum ||
           (option.kind == XlaOptionKind::Int32 &&
            value == static_cast<int64_t>(static_cast<int32_t>(value)));
  }
  bool operator()(double value) {
    char text[32];
    (void)std::snprintf(text, sizeof(text), "%g", value);
    seen = text;
    return option.kind == XlaOptionKind::Float &&
           std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
  }
};
} // namespace

static std::string_view nearestName(std::string_view name) {
  name = name.substr(0, 128); // longer names can't be close to any option
  return std::ranges::min_element(
             table, {}, [&](const XlaOption &each) { return editDistance(name, each.name); })
      ->name;
}

Status checkXlaOption(std::string_view name, const OptionValue &value) {
  const XlaOption *option = findOption(name);
  if (!option) {
    return diagnose(errors::CompilerOptionInvalid,
                    "No such compile option: '" + std::string(name) + "'", {},
                    "the nearest of XLA's is `" + std::string(nearestName(name)) + "`");
  }
  ValueCheck check{*option};
  if (std::visit(check, value)) {
    return Done();
  }
  std::string remedy = "pass ";
  switch (option->kind) {
  case XlaOptionKind::Bool:
    remedy += "True or False";
    break;
  case XlaOptionKind::Enum:
    remedy += "one of " + std::string(option->values);
    break;
  case XlaOptionKind::Message:
    remedy = "leave it out: XLA accepts no value for it here";
    break;
  default:
    remedy += "a value of this type";
  }
  return diagnose(errors::CompilerOptionInvalid,
                  "While setting option " + std::string(name) + ", '" + check.seen +
                      "' is not a valid " + nameOf(option->kind) + " value.",
                  {}, std::move(remedy));
}

static int64_t integerOf(const OptionValue &value) {
  const auto *number = std::get_if<int64_t>(&value);
  return number ? *number : integerIn<int64_t>(std::get<std::string>(value)).value_or(0);
}

std::optional<CompileOption> counterpartOf(std::string_view name, const OptionValue &value) {
  // XLA's default, 3, means the highest level without measurements, which is 2 here.
  if (name == "xla_backend_optimization_level") {
    return CompileOption{"O", std::to_string(std::clamp<int64_t>(integerOf(value), 0, 2))};
  }
  if (name == "xla_dump_to") {
    const std::string &folder = std::get<std::string>(value);
    // These values are XLA's special targets, not folders.
    bool isFolder = !folder.empty() && folder != "-" && folder != "sponge";
    return isFolder ? std::optional(CompileOption{"dump_phases", folder}) : std::nullopt;
  }
  return std::nullopt;
}

std::string toString(const OptionValue &value) {
  if (const auto *text = std::get_if<std::string>(&value)) {
    return *text;
  }
  if (const bool *flag = std::get_if<bool>(&value)) {
    return *flag ? "true" : "false";
  }
  if (const auto *number = std::get_if<int64_t>(&value)) {
    return std::to_string(*number);
  }
  char text[32];
  auto end = std::to_chars(std::begin(text), std::end(text), std::get<double>(value));
  return {text, end.ptr};
}

} // namespace drumlin::pjrt

#include "drumlin/pjrt/ClientOptions.h"

#include "drumlin/runtime/cpu/ThreadPool.h"
#include "drumlin/support/NearestName.h"
#include "drumlin/support/diagnostics/OptionErrors.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>

namespace drumlin::pjrt {

namespace {
enum class Meaning : uint8_t { Threads, Devices, Ignored };

struct KnownOption {
  std::string_view name;
  NamedValueType type;
  Meaning meaning;
};
} // namespace

static constexpr KnownOption knownOptions[] = {
#define PJRT_CLIENT_OPTION(name, type, meaning) {#name, NamedValueType::type, Meaning::meaning},
#include "drumlin/pjrt/ClientOptions.def"
};

static Diagnostic unknownOption(std::string_view name) {
  const KnownOption *nearest =
      std::ranges::min_element(knownOptions, {}, [&](const KnownOption &option) {
        return editDistance(name.substr(0, 64), option.name);
      });
  return diagnose(errors::CommandLineInvalid,
                  "the client has no option `" + std::string(name) + "`", {},
                  "did you mean `" + std::string(nearest->name) +
                      "`? `threads` says how many run programs, `num_devices` how many devices "
                      "there are");
}

//===-- values --------------------------------------------------------------------------------===//

template <typename T> static std::optional<T> numberOf(std::string_view text) {
  T number;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool isWhole = error == std::errc() && end == text.data() + text.size();
  return isWhole ? std::optional(number) : std::nullopt;
}

static std::optional<bool> truthOf(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower == "true" || lower == "1"    ? std::optional(true)
         : lower == "false" || lower == "0" ? std::optional(false)
                                            : std::nullopt;
}

static bool areNumbers(std::string_view text) {
  while (!text.empty()) {
    size_t end = std::min(text.find(','), text.size());
    if (!numberOf<int64_t>(text.substr(0, end))) {
      return false;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

static std::string_view textOf(const NamedValue &value) {
  return {value.stringValue, value.valueSize};
}

// Reads the value of an integer option.
static std::optional<int64_t> integerOf(const NamedValue &value) {
  switch (value.type) {
  case NamedValueType::Int64:
    return value.int64Value;
  case NamedValueType::String:
    return numberOf<int64_t>(textOf(value));
  default:
    return std::nullopt;
  }
}

static bool hasType(const NamedValue &value, NamedValueType type) {
  if (value.type == type) {
    return true;
  }
  if (type == NamedValueType::Float && value.type == NamedValueType::Int64) {
    return true;
  }
  if (value.type != NamedValueType::String) {
    return false;
  }
  switch (type) {
  case NamedValueType::Int64:
    return integerOf(value).has_value();
  case NamedValueType::Int64List:
    return areNumbers(textOf(value));
  case NamedValueType::Float:
    return numberOf<double>(textOf(value)).has_value();
  case NamedValueType::Bool:
    return truthOf(textOf(value)).has_value();
  case NamedValueType::String:
    return true;
  }
  return false;
}

// Formats a value for messages.
static std::string written(const NamedValue &value) {
  switch (value.type) {
  case NamedValueType::String:
    return std::string(textOf(value));
  case NamedValueType::Int64:
    return std::to_string(value.int64Value);
  case NamedValueType::Float:
    return std::to_string(value.floatValue);
  case NamedValueType::Bool:
    return value.boolValue ? "true" : "false";
  case NamedValueType::Int64List: {
    std::string text;
    for (size_t i = 0; i < value.valueSize; ++i) {
      text += (i ? "," : "") + std::to_string(value.int64ArrayValue[i]);
    }
    return text;
  }
  }
  return "of the interface's type " + std::to_string(static_cast<int>(value.type));
}

static Diagnostic wrongValue(const KnownOption &option, const NamedValue &value) {
  static constexpr std::string_view kinds[] = {"a text", "an integer", "integers, as `0,1`",
                                               "a number", "`true` or `false`"};
  return diagnose(errors::CommandLineInvalid,
                  "the client's option `" + std::string(option.name) + "` is `" + written(value) +
                      "`",
                  {}, "pass " + std::string(kinds[static_cast<size_t>(option.type)]));
}

//===-- options -------------------------------------------------------------------------------===//

Result<ClientOptions> readClientOptions(std::span<const NamedValue> values) {
  ClientOptions options;
  for (const NamedValue &value : values) {
    std::string_view name(value.name, value.nameSize);
    const KnownOption *option = std::ranges::find(knownOptions, name, &KnownOption::name);
    if (option == std::end(knownOptions)) {
      return unknownOption(name);
    }
    if (!hasType(value, option->type)) {
      return wrongValue(*option, value);
    }
    if (option->meaning == Meaning::Ignored) {
      options.ignored.emplace_back(name);
      continue;
    }
    int64_t number = *integerOf(value);
    if (option->meaning == Meaning::Devices) {
      if (number < 1 || number > maxDevices) {
        return diagnose(errors::CommandLineInvalid,
                        "the client's option `num_devices` is " + std::to_string(number), {},
                        "pass 1 to " + std::to_string(maxDevices));
      }
      options.devices = static_cast<unsigned>(number);
      continue;
    }
    if (number < 0 || number > maxThreads) {
      return diagnose(errors::TooManyThreads, "`threads` is " + std::to_string(number));
    }
    options.threads = static_cast<unsigned>(number);
  }
  return options;
}

void noteIgnored(const std::vector<std::string> &names) {
  static std::mutex mutex;
  static auto *noted = new std::set<std::string>; // clients may be created while a process ends
  std::lock_guard<std::mutex> lock(mutex);
  std::string text;
  for (const std::string &name : names) {
    if (noted->insert(name).second) {
      text += (text.empty() ? "`" : ", `") + name + "`";
    }
  }
  if (!text.empty()) {
    std::fprintf(stderr, "drumlin: client options without effect here: %s\n", text.c_str());
  }
}

} // namespace drumlin::pjrt

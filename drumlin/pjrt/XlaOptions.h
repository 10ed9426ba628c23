// XLA's compiler options, which JAX's users pass by name (`compiler_options`). Names and values are
// checked as XLA checks them; few have a counterpart here.
#pragma once

#include "drumlin/pjrt/Compiler.h"

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

namespace drumlin::pjrt {

// As xla's OptionOverrideProto has it.
using OptionValue = std::variant<std::string, bool, int64_t, double>;

enum class XlaOptionKind : uint8_t { Bool, Int32, Int64, Float, String, Enum, Message };
enum class XlaOptionCount : uint8_t { One, Several };

struct XlaOption {
  std::string_view name;
  XlaOptionKind kind;
  XlaOptionCount count;    // `Several`: a text has commas between them
  std::string_view values; // of an enumeration: the names, with blanks between them
};

// All that some version knows, sorted by name.
std::span<const XlaOption> xlaOptions();

// Whether the name is one of XLA's, known or not.
bool isXlaOption(std::string_view name);

// Fails with CompilerOptionInvalid where XLA has no such option, or no such value of it, in XLA's
// words.
Status checkXlaOption(std::string_view name, const OptionValue &value);

// Returns the option of `drumlin compile` that says the same, if one does. `value` is valid.
std::optional<CompileOption> counterpartOf(std::string_view name, const OptionValue &value);

// As options of `drumlin compile` are written.
std::string toString(const OptionValue &value);

} // namespace drumlin::pjrt

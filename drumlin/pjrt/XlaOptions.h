// XLA's compiler options, which JAX's users pass by name (`compiler_options`). Names and values are
// checked as XLA checks them; only a few have a counterpart here.
#pragma once

#include "drumlin/pjrt/PjrtCompiler.h"

#include <cstdint>
#include <optional>
#include <span>
#include <variant>

namespace drumlin::pjrt {

// A value in xla's OptionOverrideProto.
using OptionValue = std::variant<std::string, bool, int64_t, double>;

enum class XlaOptionKind : uint8_t { Bool, Int32, Int64, Float, String, Enum, Message };
enum class XlaOptionCount : uint8_t { One, Several };

struct XlaOption {
  std::string_view name;
  XlaOptionKind kind;
  XlaOptionCount count;    // `Several`: a string lists values separated by commas
  std::string_view values; // of an enumeration: its names, separated by blanks
};

// Returns all options of any supported XLA version, sorted by name.
std::span<const XlaOption> xlaOptions();

// Whether the name has the prefix of XLA's options, known or not.
bool isXlaOption(std::string_view name);

// Checks an option. Fails with CompilerOptionInvalid, in XLA's words, if XLA has no such option or
// doesn't accept the value.
Status checkXlaOption(std::string_view name, const OptionValue &value);

// Returns the equivalent option of `drumlin compile`, if there is one. `value` must be valid.
std::optional<CompileOption> counterpartOf(std::string_view name, const OptionValue &value);

// Formats a value as for options of `drumlin compile`.
std::string toString(const OptionValue &value);

} // namespace drumlin::pjrt

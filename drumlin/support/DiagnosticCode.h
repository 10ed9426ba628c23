// Stable codes of diagnostics. Their constants are in the headers of `diagnostics/`, one for each
// area.
#pragma once

#include <cstdint>
#include <string_view>

namespace drumlin {

// The number in a code such as `D1001`, whose constant is `errors::FileNotReadable` in
// diagnostics/FileErrors.h.
enum class DiagnosticCode : uint16_t {};

// `D1001` => 1001.
constexpr DiagnosticCode diagnosticCode(std::string_view id) {
  unsigned number = 0;
  for (char digit : id.substr(1)) {
    number = number * 10 + static_cast<unsigned>(digit - '0');
  }
  return static_cast<DiagnosticCode>(number);
}

} // namespace drumlin

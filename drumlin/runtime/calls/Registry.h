// The code that programs may call, by name. There is one registry per process, like the code
// itself; safe to use from several threads.
#pragma once

#include "drumlin/runtime/calls/Ffi.h"
#include "drumlin/runtime/calls/HostRun.h"

#include <optional>
#include <string>
#include <variant>

namespace drumlin {

// A function with one of the conventions before XLA's foreign function interface; `interface` says
// which one.
struct PlainFunction {
  void *function;
  HostInterface interface;
};

using HostCode = std::variant<RuntimeCode, ffi::HandlerBundle, PlainFunction>;

// Returns `function` as code with the convention that the attribute `api_version` of `custom_call`
// states: 1 to 3, or 4 for a handler of XLA's interface. Fails with HostCodeInvalid for other
// versions or a null function.
Result<HostCode> hostCodeOf(int apiVersion, void *function);

// Registers code. Fails with HostCodeInvalid if the name has other code, or the code is incomplete.
Status registerHostCode(const std::string &name, HostCode code);

// Registers a framework's code for a name that the runtime may implement as well. Code registered
// by registerHostCode() takes precedence.
Status registerAlternative(const std::string &name, HostCode code);

// The code registered or built in under a name.
struct FoundCode {
  std::optional<HostCode> registered;
  std::optional<RuntimeCode> own; // the runtime's code (calls/Builtins.cpp)
  std::optional<HostCode> alternative;
};
FoundCode findHostCode(const std::string &name);

} // namespace drumlin

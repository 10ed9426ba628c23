// The code outside of programs that they may call, by name. One registry for the process, as the
// code is the process's too; safe to use from several threads.
#pragma once

#include "drumlin/runtime/calls/Ffi.h"
#include "drumlin/runtime/calls/HostRun.h"

#include <optional>
#include <string>
#include <variant>

namespace drumlin {

// A function of one of the older conventions (HostInterface), which says how it is called.
struct PlainFunction {
  void *function;
  HostInterface interface;
};

using HostCode = std::variant<RuntimeCode, ffi::HandlerBundle, PlainFunction>;

// The code behind a function of the convention that `custom_call` calls `api_version`, 1 to 4: a
// handler of XLA's interface for 4. HostCodeInvalid for other versions and without a function.
Result<HostCode> hostCodeOf(int apiVersion, void *function);

// Fails with HostCodeInvalid where the name is taken by other code, or the code is none.
Status registerHostCode(const std::string &name, HostCode code);

// The same for code that comes with a framework, whose name the runtime may have code for as well.
// What is registered as above is called instead.
Status registerAlternative(const std::string &name, HostCode code);

// What may be called by a name.
struct FoundCode {
  std::optional<HostCode> registered;
  std::optional<RuntimeCode> own; // the runtime's (calls/Builtins.cpp)
  std::optional<HostCode> alternative;
};
FoundCode findHostCode(const std::string &name);

} // namespace drumlin

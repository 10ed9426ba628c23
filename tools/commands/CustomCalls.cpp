#include "commands/CustomCalls.h"

#include "drumlin/runtime/calls/Registry.h"
#include "drumlin/support/diagnostics/OptionErrors.h"

#include <dlfcn.h>

namespace drumlin::cli {

static Status registerCustomCall(const std::string &option) {
  auto invalid = [&](const std::string &what) {
    return diagnose(errors::CommandLineInvalid, "`" + option + "`: " + what, "--custom-call");
  };
  size_t equals = option.find('=');
  std::string name = option.substr(0, equals);
  std::string place = equals == std::string::npos ? "" : option.substr(equals + 1);
  int version = 4;
  size_t last = place.rfind(':');
  if (last != std::string::npos && last + 2 == place.size() && place[last + 1] >= '1' &&
      place[last + 1] <= '4') {
    version = place[last + 1] - '0';
    place.resize(last);
    last = place.rfind(':');
  }
  if (name.empty() || last == std::string::npos || last == 0 || last + 1 == place.size()) {
    return invalid("isn't `NAME=LIBRARY:SYMBOL`");
  }
  void *library = dlopen(place.substr(0, last).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return invalid(dlerror());
  }
  void *function = dlsym(library, place.substr(last + 1).c_str());
  if (!function) {
    return invalid("the library has no such symbol");
  }
  Result<HostCode> code = hostCodeOf(version, function);
  return code ? registerHostCode(name, *code) : Status(code.error());
}

Status registerCustomCalls(const std::vector<std::string> &options) {
  for (const std::string &option : options) {
    if (Status status = registerCustomCall(option); !status) {
      return status;
    }
  }
  return Done{};
}

} // namespace drumlin::cli

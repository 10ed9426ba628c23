// Loads the code that `--custom-call` names.
#pragma once

#include "drumlin/support/HostCall.h"

#include <string>
#include <vector>

namespace drumlin::cli {

// Registers each `NAME=LIBRARY:SYMBOL`, or `NAME=LIBRARY:SYMBOL:VERSION` with the `api_version` of
// the program's call (4: XLA's foreign function interface). The libraries stay loaded. Fails with
// CommandLineInvalid or HostCodeInvalid.
Status registerCustomCalls(const std::vector<std::string> &options);

} // namespace drumlin::cli

// Decides which of the commands' output streams get colours.
#pragma once

#include "drumlin/support/Colours.h"
#include "drumlin/support/Diagnostics.h"

#include <cstdio>

namespace CLI {
class App;
}

namespace drumlin::cli {

// Adds the option `--color`. Its value applies to this thread's output until the option is added
// again.
void addColourOption(CLI::App &app);

// Returns whether a stream gets colours. By default, terminals that support colours get them,
// unless NO_COLOR is set.
bool isColoured(std::FILE *stream);

// Returns Diagnostic::str(), with colours if the stream gets colours. The kind and the code are
// yellow for warnings and red for other diagnostics.
std::string textFor(std::FILE *stream, const Diagnostic &diagnostic,
                    std::string_view kind = "error");

} // namespace drumlin::cli

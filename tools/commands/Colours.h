// Decides which of the commands' output streams get colours.
#pragma once

#include "drumlin/support/Colours.h"
#include "drumlin/support/Diagnostics.h"

#include <cstdio>

namespace CLI {
class App;
}

namespace drumlin::cli {

// Adds `--color`, which applies to this thread's output until it is added again.
void addColourOption(CLI::App &app);

// Whether a stream gets colours: by default, capable terminals unless NO_COLOR is set.
bool isColoured(std::FILE *stream);

// Returns Diagnostic::str() for the stream. Everything except warnings is red.
std::string textFor(std::FILE *stream, const Diagnostic &diagnostic,
                    std::string_view kind = "error");

} // namespace drumlin::cli

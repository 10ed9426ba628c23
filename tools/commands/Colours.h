// Which of the streams that commands print to get colours.
#pragma once

#include "drumlin/support/Colours.h"
#include "drumlin/support/Diagnostics.h"

#include <cstdio>

namespace CLI {
class App;
}

namespace drumlin::cli {

// `--color`, which holds for all that this thread prints until it is added again.
void addColourOption(CLI::App &app);

// Terminals do, unless they can't or the user has set NO_COLOR; `--color` says otherwise.
bool isColoured(std::FILE *stream);

// Diagnostic::str() for the stream. What isn't a warning is red.
std::string textFor(std::FILE *stream, const Diagnostic &diagnostic,
                    std::string_view kind = "error");

} // namespace drumlin::cli

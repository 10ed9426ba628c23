// What is wrong with a command line that doesn't parse, and what was probably meant.
#pragma once

#include "drumlin/support/Diagnostics.h"

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace drumlin::cli {

// CommandLineInvalid, with the nearest command, option or word where there is one. `app` has parsed
// up to the error, which isn't a request for help.
Diagnostic explain(const CLI::App &app, const CLI::ParseError &error);

} // namespace drumlin::cli

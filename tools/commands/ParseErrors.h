// Explains command lines that don't parse, and suggests corrections.
#pragma once

#include "drumlin/support/Diagnostics.h"

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace drumlin::cli {

// Returns CommandLineInvalid; its remedy names the nearest command, option or value, or the help.
// `app` has parsed the words before the error. The error must not be a request for help.
Diagnostic explain(const CLI::App &app, const CLI::ParseError &error);

} // namespace drumlin::cli

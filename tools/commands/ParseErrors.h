// Explains command lines that do not parse, and suggests what was meant.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace drumlin::cli {

// Returns CommandLineInvalid; its remedy names the nearest command, option or value, or the help.
// `app` has parsed up to the error, which must not be a request for help.
Diagnostic explain(const CLI::App &app, const CLI::ParseError &error);

// Returns the name that was probably meant: one that begins with the word, or that
// has the smallest edit distance. Empty if no name is near.
std::string nearest(std::string_view word, const std::vector<std::string> &names);

} // namespace drumlin::cli

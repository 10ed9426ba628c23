// Parses and runs a whole command line of `drumlin`, for `main`.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace drumlin {

struct CompileOptions;

namespace cli {

// The output of `--version`.
inline constexpr const char *programVersion = "drumlin 0.1.0";

// Installs signal handlers: an interrupted process ends with status 130, a crashed one with status
// 70. Neither leaves partial files. A crash during compilation leaves a reproducer.
void handleSignals();

// Runs the command line and returns the exit status. Of `defaults`, only `addedPasses` and
// `progress` are used.
int runCommandLine(int argc, char **argv, const CompileOptions &defaults);
int runCommandLine(int argc, char **argv);

// Runs a command within this process. `words`: the command line without the program's name. Output
// goes to printed(), errors are returned, and no warnings are printed.
Status runWords(const std::vector<std::string> &words);
// Parses a command line. Fails with CommandLineInvalid. Prints help if `words` request it.
Status parseWords(CLI::App &app, std::vector<std::string> words);

} // namespace cli
} // namespace drumlin

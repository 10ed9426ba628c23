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

// Makes interruption end the process with status 130, and a crash with status 70; neither leaves
// partial files. A crash during compilation leaves a reproducer.
void handleSignals();

// Returns the exit status. `defaults`: only `addedPasses` and `progress` are used.
int runCommandLine(int argc, char **argv, const CompileOptions &defaults);
int runCommandLine(int argc, char **argv);

// Runs a command inside a process: `words` are those after the program's name. Output goes to
// printed(), errors are returned, and no warnings are printed.
Status runWords(const std::vector<std::string> &words);
// Fails with CommandLineInvalid; prints help if it was requested.
Status parseWords(CLI::App &app, std::vector<std::string> words);

} // namespace cli
} // namespace drumlin

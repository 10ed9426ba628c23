// The whole of `drumlin`, as its `main` calls it.
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

// What `--version` prints.
inline constexpr const char *programVersion = "drumlin 0.1.0";

// Interruption ends the process with status 130, a crash with 70; neither leaves partial files, and
// a crash while a program is compiled leaves a reproducer.
void handleSignals();

// Gives the exit status. `defaults`: only `addedPasses` and `progress` count.
int runCommandLine(int argc, char **argv, const CompileOptions &defaults);
int runCommandLine(int argc, char **argv);

// The same for callers inside of a process: `words` come after the program's name. What the command
// prints goes to printed(), its error is returned, and no warnings are given.
Status runWords(const std::vector<std::string> &words);
// CommandLineInvalid; help that was asked for is printed.
Status parseWords(CLI::App &app, std::vector<std::string> words);

} // namespace cli
} // namespace drumlin

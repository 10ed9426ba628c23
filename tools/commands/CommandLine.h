// The whole of `drumlin`, as its `main` calls it.
#pragma once

namespace drumlin {

struct CompileOptions;

namespace cli {

// Interruption ends the process with status 130, a crash with 70; neither leaves partial files, and
// a crash while a program is compiled leaves a reproducer.
void handleSignals();

// Gives the exit status. `defaults`: only `addedPasses` and `progress` count.
int runCommandLine(int argc, char **argv, const CompileOptions &defaults);
int runCommandLine(int argc, char **argv);

} // namespace cli
} // namespace drumlin

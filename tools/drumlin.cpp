// drumlin: compiles, runs, measures and explains StableHLO programs.
#include "commands/CommandLine.h"
#include "drumlin/driver/CompilerMemory.h"

#include <malloc.h>

// A compilation uses some ten MiB, and soon reallocates what it frees. The heap grows in large
// steps and is returned to the system at the end.
static constexpr int heapStep = 32 << 20;

// Runs early, since static objects allocate memory before main().
[[gnu::constructor(101)]] static void endWithoutMemory() {
  static const drumlin::CompilerMemory untilTheEnd;
}

int main(int argc, char **argv) {
  mallopt(M_TOP_PAD, heapStep);
  mallopt(M_TRIM_THRESHOLD, 4 * heapStep);
  drumlin::cli::handleSignals();
  return drumlin::cli::runCommandLine(argc, argv);
}

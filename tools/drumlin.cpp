// drumlin: compiles, runs, measures and explains StableHLO programs.
#include "commands/CommandLine.h"
#include "drumlin/driver/CompilerMemory.h"

#include <malloc.h>

// The size, in bytes, of the steps in which the heap grows. Steps are large because a compilation
// uses tens of MiB and soon reallocates the memory that it frees. The heap is returned to the
// system only at the end.
static constexpr int heapStep = 32 << 20;

// Runs before the constructors of static objects, which allocate memory before main().
[[gnu::constructor(101)]] static void endWithoutMemory() {
  static const drumlin::CompilerMemory untilTheEnd;
}

int main(int argc, char **argv) {
  mallopt(M_TOP_PAD, heapStep);
  mallopt(M_TRIM_THRESHOLD, 4 * heapStep);
  drumlin::cli::handleSignals();
  return drumlin::cli::runCommandLine(argc, argv);
}

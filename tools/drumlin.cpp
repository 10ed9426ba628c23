// drumlin: compiles, runs, measures and explains StableHLO programs.
#include "commands/CommandLine.h"
#include "drumlin/driver/CompilerMemory.h"

#include <malloc.h>

// A compile's memory grows to some ten MiB, and what is freed on the way is soon asked for again.
// The system is asked for it in few pieces, and gets it back at the end.
static constexpr int heapStep = 32 << 20;

// Static objects ask for memory before main() does.
[[gnu::constructor(101)]] static void endWithoutMemory() {
  static const drumlin::CompilerMemory untilTheEnd;
}

int main(int argc, char **argv) {
  mallopt(M_TOP_PAD, heapStep);
  mallopt(M_TRIM_THRESHOLD, 4 * heapStep);
  drumlin::cli::handleSignals();
  return drumlin::cli::runCommandLine(argc, argv);
}

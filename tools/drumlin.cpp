// drumlin: compiles, runs, measures and explains StableHLO programs.
#include "commands/CommandLine.h"

int main(int argc, char **argv) {
  drumlin::cli::handleSignals();
  return drumlin::cli::runCommandLine(argc, argv);
}

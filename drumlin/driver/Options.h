// What a user can ask of a compilation. Passed down; never a global.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drumlin {

struct CompileOptions {
  std::string targetCpu = "native";
  unsigned threads = 0; // that compile kernels; 0: one for each processor
  bool useCache = true; // kernels are kept on disk by content
  std::string
      cacheDirectory; // empty: $DRUMLIN_CACHE, else $XDG_CACHE_HOME/drumlin, else ~/.cache/drumlin
  std::string dumpPhases; // a folder that gets a numbered file after each phase; empty: none
  std::string
      dumpPass; // prints the program after each pass whose flag matches this regular expression
  std::string stopAfter;       // the name of a phase
  std::string startFrom;       // the phase whose output the input file is
  std::string startLedger;     // the ledger that was written beside that file; empty: none
  bool verifyContracts = true; // pass contracts, and the IR verifier, are checked after every pass
  std::string dumpLlvm;        // a folder that gets the LLVM text of every kernel; empty: none
  // Kernels take the cost model's schedules; or measured ones, which are looked up in the record
  // and measured where they aren't there; or those of the record only (docs/tuning.md).
  enum class Tuning { Off, On, Require } tuning = Tuning::Off;
  std::string tuningRecord; // a file; empty: none
  double tuningSeconds = 2; // of processor time that measuring one kernel may take
};

} // namespace drumlin

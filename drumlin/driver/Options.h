// What a user can ask of a compilation. Passed down; never a global.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/ProcessGroups.h"
#include "drumlin/target/Numerics.h"
#include "drumlin/target/Target.h"
#include "drumlin/target/TargetNames.h"
#include "drumlin/transforms/ModelType.h"
#include "drumlin/transforms/simplify/AutoCast.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class Pass;
}

namespace drumlin {

class CompileBudget;

// Told what is being done; `total` is 0 where the number of steps isn't known. Called by one thread
// at a time.
using ProgressFunction = std::function<void(const std::string &step, size_t done, size_t total)>;

// Told of what stops nothing, and what to do about it. Called by one thread at a time.
using WarningFunction = std::function<void(const Diagnostic &warning)>;

struct CompileOptions {
  TargetPtr target = nativeTarget();
  Numerics numerics = Numerics::Default;
  // 0: each operation a kernel of its own, code made quickly. 1: code is made quickly where little
  // time is spent. 2: as well as is known. 3: with measured schedules. (docs/cli.md)
  unsigned level = 2;
  // From level 2 on: code is made quickly where that adds no more than so much to a run in all, for
  // callers whose calls cost far more than that.
  double unnoticedSeconds = 0;
  double timeBudget = 0;     // seconds after which compile() measures no more schedules; 0: none
  uint64_t memoryBudget = 0; // bytes that a call may hold, with arguments and results; 0: any
  AutoCast autoCast;         // which f32 values may be rounded
  ModelType modelType = ModelType::Generic; // where values are computed
  std::string distributionStrategy; // how the program is partitioned; nothing but empty works yet
  GridShape grid = {0, 0}; // the processes that the program runs as; 0: what the program says
  std::vector<std::string>
      sizes;            // `b=128`: what costs and schedules are chosen for (resolve-sizes)
  unsigned threads = 0; // that compile kernels; 0: one for each processor
  bool useCache = true; // kernels are kept on disk by content
  std::string
      cacheDirectory; // empty: $DRUMLIN_CACHE, else $XDG_CACHE_HOME/drumlin, else ~/.cache/drumlin
  uint64_t cacheBytes = uint64_t(1) << 30; // the most that they may take there
  std::string dumpPhases; // a folder that gets a numbered file after each phase; empty: none
  std::string
      dumpPass; // prints the program after each pass whose flag matches this regular expression
  std::string stopAfter;       // the name of a phase
  std::string startFrom;       // the phase whose output the input file is
  std::string startLedger;     // the ledger that was written beside that file; empty: none
  std::string fillElided;      // ImportLimits::fillElided
  bool timeKernels = false;    // the image counts and times its launches
  bool keepsDecisions = true;  // the image holds the ledger and the plan's lock
  bool measureMemory = false;  // the process's peak is noted after each step
  bool verifyContracts = true; // pass contracts, and the IR verifier, are checked
  std::vector<std::string> requirements;   // what the plan must keep: docs/requirements.md
  std::vector<std::string> disabledPasses; // flags of passes that are left out
  std::vector<std::string> forcedKernels;  // `dot@*mlp*=packed` (transforms/layout/ForcedKernels.h)
  std::vector<std::string>
      staticArguments;     // that are the same at every call: createMarkStaticPass()
  std::string weightsFile; // whose arrays bind arguments (Weights.h); empty: none
  // Where the image has its bound weights: in a side file of its own; or where they lie in that
  // file, which it knows again by samples of each array, or by a hash of all elements as well.
  enum class WeightsInPlace { Off, Sampled, Hashed } weightsInPlace = WeightsInPlace::Off;
  std::string dumpLlvm;      // a folder that gets the LLVM text of every kernel; empty: none
  ProgressFunction progress; // may be empty
  WarningFunction warn;      // may be empty
  // Asked now and then by the thread that compiles: where it says so, compile() gives up, with
  // CompileInterrupted. May be empty.
  std::function<bool()> isInterrupted;
  // Beyond these compile() gives up likewise (CompileBudget.h).
  uint64_t compileMemory = 0; // more bytes than the process held before; 0: most of what there is
  double compileSeconds = 6 * 3600;
  int64_t compileOperations = 2'000'000; // of the program, once its calls are inlined
  // Of the compilation that is under way, which sets it; null for callers.
  std::shared_ptr<const CompileBudget> budget;
  // Passes that run at the end of the phase of this name: for tests of what a failing one leads to.
  std::vector<std::pair<std::string, std::function<std::unique_ptr<mlir::Pass>()>>> addedPasses;
  // Kernels take the cost model's schedules; or measured ones, which are looked up in the record
  // and measured where they aren't there; or those of the record only (docs/tuning.md).
  enum class Tuning { Off, On, Require };
  std::optional<Tuning> tuning; // nothing: measured ones at level 3
  std::string tuningRecord;     // a file; empty: none
  double tuningSeconds = 2;     // of processor time that measuring one kernel may take

  // After every pass; else after every phase.
  bool checksEachPass() const { return level >= 2; }
  Tuning tuningMode() const { return tuning.value_or(level >= 3 ? Tuning::On : Tuning::Off); }
};

} // namespace drumlin

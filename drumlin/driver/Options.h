// A compilation's options. They are passed down, never global.
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

// Called with each step as it begins; `total` is 0 if the number of steps is unknown. Called by one
// thread at a time.
using ProgressFunction = std::function<void(const std::string &step, size_t done, size_t total)>;

// Called with each warning and its remedy. Called by one thread at a time.
using WarningFunction = std::function<void(const Diagnostic &warning)>;

struct CompileOptions {
  TargetPtr target = nativeTarget();
  Numerics numerics = Numerics::Default;
  // 0: one kernel per operation, code generated quickly. 1: code is generated quickly for kernels
  // that take little time. 2: full optimization. 3: also measured schedules. (docs/cli.md)
  unsigned level = 2;
  // From level 2 on: the seconds that quickly generated code may add to a run in total, for callers
  // whose calls cost far more than that.
  double unnoticedSeconds = 0;
  double timeBudget = 0;     // seconds after which compile() stops measuring schedules; 0: no limit
  uint64_t memoryBudget = 0; // bytes that a call may hold, with arguments and results; 0: no limit
  AutoCast autoCast;         // which f32 values may be rounded
  ModelType modelType = ModelType::Generic; // guides where values are computed
  std::string distributionStrategy;         // how the program is partitioned; only empty works yet
  GridShape grid = {0, 0}; // processes that the program runs as; 0: as the program says
  std::vector<std::string>
      sizes;            // `b=128`: sizes that costs and schedules are chosen for (resolve-sizes)
  unsigned threads = 0; // threads that compile kernels; 0: one for each processor
  bool useCache = true; // keep compiled kernels on disk, by content
  std::string
      cacheDirectory; // empty: $DRUMLIN_CACHE, else $XDG_CACHE_HOME/drumlin, else ~/.cache/drumlin
  uint64_t cacheBytes = uint64_t(1) << 30; // the most bytes that the cache may hold
  std::string dumpPhases; // a folder that gets a numbered file after each phase; empty: none
  std::string
      dumpPass; // prints the program after each pass whose flag matches this regular expression
  std::string stopAfter;       // the name of a phase
  std::string startFrom;       // the phase whose output the input file is
  std::string startLedger;     // the ledger that was written beside that file; empty: none
  std::string fillElided;      // how to fill elided constants: ImportLimits::fillElided
  bool timeKernels = false;    // the image counts and times its launches
  bool keepsDecisions = true;  // the image holds the ledger and the plan's lock
  bool measureMemory = false;  // records the process's peak memory after each step
  bool verifyContracts = true; // checks pass contracts, and runs the IR verifier
  std::vector<std::string> requirements;   // see docs/requirements.md
  std::vector<std::string> disabledPasses; // flags of passes that don't run
  std::vector<std::string> forcedKernels;  // e.g. `dot@*mlp*=packed` (layout/ForcedKernels.h)
  std::vector<std::string>
      staticArguments;     // arguments that are the same at every call: createMarkStaticPass()
  std::string weightsFile; // a file whose arrays bind arguments (Weights.h); empty: none
  // The file that contains the image's bound weights. Off: a side file of the image. Otherwise
  // weightsFile, which the image identifies by samples of each array, or also by a hash of all
  // elements.
  enum class WeightsInPlace { Off, Sampled, Hashed } weightsInPlace = WeightsInPlace::Off;
  std::string dumpLlvm;      // a folder that gets the LLVM text of every kernel; empty: none
  ProgressFunction progress; // may be empty
  WarningFunction warn;      // may be empty
  // Called now and then by the thread that compiles: if it returns true, compile() fails with
  // CompileInterrupted. May be empty.
  std::function<bool()> isInterrupted;
  // Limits beyond which compile() fails, too (CompileBudget.h).
  uint64_t compileMemory = 0; // bytes beyond those held before; 0: 3/4 of what is free
  double compileSeconds = 6 * 3600;
  int64_t compileOperations = 2'000'000; // operations of the program after its calls are inlined
  // The budget of the compilation under way, which sets it; null in callers' options.
  std::shared_ptr<const CompileBudget> budget;
  // Passes to run at the end of the named phase: lets tests see what a failing pass leads to.
  std::vector<std::pair<std::string, std::function<std::unique_ptr<mlir::Pass>()>>> addedPasses;
  // Which schedules kernels get: Off: the cost model's. On: measured ones, from the tuning record
  // or else measured now. Require: only those of the tuning record (docs/tuning.md).
  enum class Tuning { Off, On, Require };
  std::optional<Tuning> tuning; // nullopt: On at level 3, else Off
  std::string tuningRecord;     // path of the tuning record; empty: none
  double tuningSeconds = 2;     // processor time that measuring one kernel may take

  // Whether contracts are checked after every pass, or else only after every phase.
  bool checksEachPass() const { return level >= 2; }
  Tuning tuningMode() const { return tuning.value_or(level >= 3 ? Tuning::On : Tuning::Off); }
};

} // namespace drumlin

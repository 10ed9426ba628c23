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

// Receives progress: `done` of the `total` items of a step are finished. `total` is 0 if the number
// of items is unknown. Called by one thread at a time.
using ProgressFunction = std::function<void(const std::string &step, size_t done, size_t total)>;

// Receives each warning, with its remedy. Called by one thread at a time.
using WarningFunction = std::function<void(const Diagnostic &warning)>;

struct CompileOptions {
  TargetPtr target = nativeTarget();
  Numerics numerics = Numerics::Default;
  // 0: one kernel per operation, and quickly generated code. 1: quickly generated code only for
  // kernels whose run time is short. 2: full optimization. 3: full optimization and measured
  // schedules. (docs/cli.md)
  unsigned level = 2;
  // From level 2 on: the seconds, in total per run, by which quickly generated code may lengthen a
  // run. Useful for callers whose own overhead per call is far longer than this.
  double unnoticedSeconds = 0;
  double timeBudget = 0;     // seconds after which compile() stops measuring schedules; 0: no limit
  uint64_t memoryBudget = 0; // bytes per call, including arguments and results; 0: no limit
  AutoCast autoCast;         // how f32 values may be rounded (`--auto-cast`)
  ModelType modelType = ModelType::Generic; // guides fusion (transforms/ModelType.h)
  std::string distributionStrategy;         // not supported yet: must be empty
  GridShape grid = {0, 0};                  // the processes of a run; 0: as the program states
  std::vector<std::string>
      sizes;            // `b=128`: sizes that costs and schedules are chosen for (resolve-sizes)
  unsigned threads = 0; // threads that compile kernels; 0: one for each processor
  bool useCache = true; // keep compiled kernels on disk (KernelCache.h)
  std::string
      cacheDirectory; // empty: $DRUMLIN_CACHE, else $XDG_CACHE_HOME/drumlin, else ~/.cache/drumlin
  uint64_t cacheBytes = uint64_t(1) << 30; // maximum size of the cache
  std::string dumpPhases;                  // a folder for the program after each phase; empty: none
  std::string
      dumpPass; // prints the program after each pass whose flag matches this regular expression
  std::string stopAfter; // the last phase that runs; empty: all phases run
  // The phase that wrote the input: only later phases run. Empty: all phases run.
  std::string startFrom;
  std::string startLedger;     // the path of the ledger that phase `startFrom` wrote; empty: none
  std::string fillElided;      // how to fill elided constants: ImportLimits::fillElided
  bool timeKernels = false;    // the image counts and times the launches of a run
  bool keepsDecisions = true;  // the image holds the ledger and the plan's lock
  bool measureMemory = false;  // records the process's peak memory after each step
  bool verifyContracts = true; // checks pass contracts, and runs the IR verifier
  std::vector<std::string> requirements;   // see docs/requirements.md
  std::vector<std::string> disabledPasses; // flags of passes that don't run
  std::vector<std::string> forcedKernels;  // e.g. `dot@*mlp*=packed` (layout/ForcedKernels.h)
  std::vector<std::string>
      staticArguments;     // arguments that are the same at every call: createMarkStaticPass()
  std::string weightsFile; // a file whose arrays bind arguments (Weights.h); empty: none
  // The file that contains the image's bound weights. Off: a side file of the image. Sampled and
  // Hashed: weightsFile, which the image identifies by samples of each array, and with Hashed also
  // by a hash of all elements.
  enum class WeightsInPlace { Off, Sampled, Hashed } weightsInPlace = WeightsInPlace::Off;
  std::string dumpLlvm;      // a folder for every kernel's LLVM text; empty: none
  ProgressFunction progress; // may be empty
  WarningFunction warn;      // may be empty
  // Called now and then by the thread that compiles: if it returns true, compile() fails with
  // CompileInterrupted. May be empty.
  std::function<bool()> isInterrupted;
  // Limits; compile() fails when one is exceeded (CompileBudget.h).
  uint64_t compileMemory = 0; // bytes that compile() may allocate; 0: 3/4 of the free memory
  double compileSeconds = 6 * 3600;
  int64_t compileOperations = 2'000'000; // maximum number of operations after calls are inlined
  // The budget of the running compilation. The compilation sets it; callers leave it null.
  std::shared_ptr<const CompileBudget> budget;
  // Additional passes, each with the name of the phase at whose end it runs. Tests use them to see
  // the effects of a failing pass.
  std::vector<std::pair<std::string, std::function<std::unique_ptr<mlir::Pass>()>>> addedPasses;
  // The source of the kernels' schedules (docs/tuning.md). Off: the cost model. On: the tuning
  // record, or else measurements made during this compilation. Require: the tuning record only.
  enum class Tuning { Off, On, Require };
  std::optional<Tuning> tuning; // nullopt: On at level 3, else Off
  std::string tuningRecord;     // path of the tuning record; empty: none
  double tuningSeconds = 2;     // processor time that measuring one kernel may take

  // Returns whether contracts are checked after every pass instead of only after every phase.
  bool checksEachPass() const { return level >= 2; }
  Tuning tuningMode() const { return tuning.value_or(level >= 3 ? Tuning::On : Tuning::Off); }
};

} // namespace drumlin

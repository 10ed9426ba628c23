#include "drumlin/driver/tuner/KernelTuning.h"

#include "drumlin/codegen/cpu/ObjectEmitter.h"
#include "drumlin/driver/CompileBudget.h"
#include "drumlin/driver/Compiler.h"
#include "drumlin/driver/ValueDescriptions.h"
#include "drumlin/driver/tuner/MachineClock.h"
#include "drumlin/ir/costs/KernelTimes.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/KernelKey.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/executable/Executable.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/BuildId.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "drumlin/support/diagnostics/RequirementErrors.h"
#include "drumlin/support/diagnostics/TuningErrors.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>

namespace drumlin {

// The largest total size, in bytes, of a kernel's arguments and results. Larger kernels keep the
// cost model's schedule.
static constexpr int64_t maxBytes = int64_t(2) << 30;
// The shortest duration of a sample. It is far longer than reading the clock takes, and far shorter
// than a time slice of a busy machine.
static constexpr double sampleSeconds = 100e-6;
// The smallest gain that counts. Smaller ones may be due to the placement of memory, which differs
// between processes.
static constexpr double leastGain = 0.05;
// The period of the random data, in elements. It isn't a multiple of any tile size.
static constexpr int64_t dataPeriod = 65537;

// An argument of at least `largeBytes` is large. If the operands are Far (KernelTuning.h), each
// large argument gets several copies, whose total size is `coldBytes`. Launches use the copies in
// rotation, so that a copy is no longer in L2 when it is used again.
static constexpr int64_t largeBytes = 512 * 1024, coldBytes = 16 * 1024 * 1024;

// The number of times that each candidate is loaded. A candidate's samples use these instances in
// turn, since memory placement affects speed by some percent and differs between instances.
static constexpr size_t instances = 4;

//===- candidates -------------------------------------------------------------------===//

static mlir::TypeRange resultTypesOf(plan::KernelOp kernel) {
  return kernel.getBody().front().getTerminator()->getOperandTypes();
}

Result<std::vector<NamedSchedule>> schedulesOf(plan::KernelOp kernel, const CpuTarget &target,
                                               Numerics numerics) {
  std::vector<NamedSchedule> none;
  if (kernel.getKind() != plan::KernelKind::gemm) {
    return none;
  }
  int64_t bytes = 0;
  for (mlir::TypeRange types :
       {mlir::TypeRange(kernel.getBody().front().getArgumentTypes()), resultTypesOf(kernel)}) {
    for (mlir::Type type : types) {
      // Clamped, so that the sum of two sizes can't overflow.
      bytes += std::min<int64_t>(static_cast<int64_t>(describeValue(type).bytes()), maxBytes + 1);
    }
  }
  if (bytes > maxBytes) {
    return none;
  }
  return gemmCandidates(kernel, target, numerics);
}

Operands operandsOf(plan::KernelOp kernel, mlir::ModuleOp program, const CpuTarget &target) {
  bool hasLarge = llvm::any_of(kernel.getBody().front().getArgumentTypes(), [](mlir::Type type) {
    return static_cast<int64_t>(describeValue(type).bytes()) >= largeBytes;
  });
  mlir::func::FuncOp main = entryFunction(program);
  double bytes = 0; // floating-point, since the sum may overflow an integer
  auto add = [&](mlir::TypeRange types) {
    for (mlir::Type type : types) {
      bytes += static_cast<double>(describeValue(type).bytes());
    }
  };
  add(main.getArgumentTypes());
  add(main.getResultTypes());
  main.walk([&](stablehlo::ConstantOp constant) { add(constant->getResultTypes()); });
  if (auto arena = main->getAttrOfType<mlir::IntegerAttr>(arenaBytesAttribute)) {
    bytes += static_cast<double>(arena.getInt());
  }
  bool isLarge = bytes > 2 * static_cast<double>(target.l2Bytes);
  return hasLarge && isLarge ? Operands::Far : Operands::Near;
}

std::string tuningKey(plan::KernelOp kernel, Operands operands) {
  return plan::problemKey(kernel) + (operands == Operands::Far ? "/far" : "/near");
}

// Returns the hero's types as a text.
std::string subjectOf(plan::KernelOp kernel) {
  mlir::Operation *hero = contractionOf(kernel.getBody().front());
  std::string text = hero->getName().stripDialect().str();
  for (mlir::Type type : hero->getOperandTypes()) {
    text += " " + describeValue(type).typeText();
  }
  return text + " -> " + describeValue(hero->getResult(0).getType()).typeText();
}

std::string tuningVersion() { return buildId().empty() ? "unknown" : buildId().substr(0, 16); }

//===- measuring --------------------------------------------------------------------===//

// Fills a tensor with values in [-1, 1), or with 0 and 1 for integers. No processor computes slowly
// with such values.
static void fill(Tensor &tensor, uint64_t seed) {
  int64_t count = std::min(tensor.elements(), dataPeriod);
  int64_t size = storageBytes(tensor.type());
  uint64_t state = seed * 2 + 1;
  for (int64_t i = 0; i < count; ++i) {
    // Knuth's linear congruential generator for 64 bits.
    state = state * 6364136223846793005u + 1442695040888963407u;
    double uniform = static_cast<double>(state >> 11) * 0x1p-53;
    std::byte *element = tensor.data() + i * size;
    if (isFloat(tensor.type())) {
      double value = uniform * 2 - 1;
      encodeRun(tensor.type(), &value, element, 1);
    } else if (!isComplex(tensor.type())) {
      // The bytes 0 and 1 are valid for types narrower than a byte, too.
      *element = static_cast<std::byte>(uniform < 0.5 ? 0 : 1);
    }
  }
  for (int64_t i = count; i < tensor.elements(); i += dataPeriod) {
    int64_t copied = std::min(tensor.elements() - i, dataPeriod);
    std::memcpy(tensor.data() + i * size, tensor.data(), static_cast<size_t>(copied * size));
  }
}

namespace {
// The arguments and results that all candidates of a kernel run on.
struct KernelData {
  std::vector<Tensor> tensors;                  // owners of all buffers
  std::vector<std::vector<const void *>> turns; // argument lists, used in turn
  std::vector<void *> results;
  size_t turn = 0;

  // Returns the next argument list in rotation. All candidates share the rotation, so that no
  // candidate finds the arguments of its own previous run in the caches.
  std::span<const void *const> nextArguments() { return turns[turn++ % turns.size()]; }
};
} // namespace

static Result<KernelData> makeData(plan::KernelOp kernel, Operands operands) {
  KernelData data;
  bool enough = true;
  auto allocate = [&](const ValueDescription &value) -> std::byte * {
    std::optional<Tensor> tensor = Tensor::allocate(value.type, value.shape);
    enough = enough && tensor;
    if (!tensor) {
      return nullptr;
    }
    data.tensors.push_back(*tensor);
    return tensor->data();
  };
  std::vector<std::vector<const void *>> copies; // buffers of each argument
  size_t turns = 1;
  for (mlir::Type type : kernel.getBody().front().getArgumentTypes()) {
    ValueDescription value = describeValue(type);
    auto bytes = static_cast<int64_t>(value.bytes());
    bool takesTurns = operands == Operands::Far && bytes >= largeBytes;
    int64_t count = takesTurns ? coldBytes / bytes + 1 : 1;
    std::vector<const void *> &of = copies.emplace_back();
    for (int64_t i = 0; i < count; ++i) {
      of.push_back(allocate(value));
      if (enough) {
        fill(data.tensors.back(), copies.size());
      }
    }
    turns = std::max(turns, of.size());
  }
  for (mlir::Type type : resultTypesOf(kernel)) {
    data.results.push_back(allocate(describeValue(type)));
  }
  if (!enough) {
    return diagnose(errors::OutOfMemory,
                    "no memory for the data to measure kernel `" + kernel.getSymName().str() + "`",
                    plan::sourceOf(kernel.getLoc()), "compile without `--tune=on`");
  }
  for (size_t turn = 0; turn < turns; ++turn) {
    std::vector<const void *> &arguments = data.turns.emplace_back();
    for (const std::vector<const void *> &of : copies) {
      arguments.push_back(of[turn % of.size()]);
    }
  }
  return data;
}

// Returns a program that launches the kernel once, in the form that a program has after the phase
// `schedule`.
static mlir::OwningOpRef<mlir::ModuleOp> programOf(plan::KernelOp kernel,
                                                   const GemmSchedule &schedule) {
  mlir::MLIRContext *context = kernel.getContext();
  mlir::Location location = kernel.getLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module->getBody());
  mlir::TypeRange arguments(kernel.getBody().front().getArgumentTypes());
  mlir::TypeRange results = resultTypesOf(kernel);
  auto main = mlir::func::FuncOp::create(builder, location, "main",
                                         mlir::FunctionType::get(context, arguments, results));
  auto copy = mlir::cast<plan::KernelOp>(builder.clone(*kernel.getOperation()));
  setSchedule(copy, schedule);
  mlir::Block *body = main.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  auto launch = plan::LaunchOp::create(builder, location, results,
                                       mlir::FlatSymbolRefAttr::get(kernel.getSymNameAttr()),
                                       mlir::ValueRange(body->getArguments()));
  mlir::func::ReturnOp::create(builder, location, launch->getResults());
  return module;
}

using Instances = std::vector<std::unique_ptr<Executable>>;

static Result<Instances> load(plan::KernelOp kernel, const NamedSchedule &schedule,
                              const CompileOptions &options) {
  CompileOptions inner;
  inner.target = options.target;
  inner.threads = 1;
  inner.useCache = options.useCache;
  inner.cacheDirectory = options.cacheDirectory;
  inner.startFrom = "schedule";
  mlir::OwningOpRef<mlir::ModuleOp> program = programOf(kernel, schedule.schedule);
  Result<Compilation> compiled = compile(*program, schedule.name, inner);
  if (!compiled) {
    return compiled.error();
  }
  LoadOptions loading;
  // One thread is enough, since a kernel's tiles don't depend on the number of threads, and a
  // single thread is disturbed the least.
  loading.threads = 1;
  Instances loaded;
  for (size_t i = 0; i < instances; ++i) {
    auto executable = compiled->load(schedule.name, loading);
    if (!executable) {
      return executable.error();
    }
    loaded.push_back(std::move(*executable));
  }
  return loaded;
}

static RecordedKernel recordOf(const std::vector<TunerCandidate> &candidates,
                               const TunerOutcome &outcome) {
  RecordedKernel recorded;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const CandidateOutcome &of = outcome.candidates[i];
    RecordedCandidate candidate;
    candidate.name = candidates[i].name;
    candidate.outsideNanoseconds = of.outsideSeconds * 1e9;
    if (of.lower > 0) {
      candidate.bounds = {of.lower * 1e9, of.median * 1e9, of.upper * 1e9};
    }
    for (size_t round = 0; round < of.seconds.size(); ++round) {
      candidate.samples.push_back({of.seconds[round] * 1e9, of.disturbed[round]});
    }
    recorded.candidates.push_back(std::move(candidate));
  }
  recorded.winner = candidates[outcome.winner].name;
  recorded.rule = name(outcome.rule);
  return recorded;
}

Result<RecordedKernel> measureKernel(plan::KernelOp kernel, Operands operands,
                                     const std::vector<NamedSchedule> &schedules,
                                     const CpuTarget &target, const CompileOptions &options) {
  Result<KernelData> data = makeData(kernel, operands);
  if (!data) {
    return data.error();
  }
  std::vector<Instances> executables(schedules.size());
  std::vector<TunerCandidate> candidates;
  std::vector<MachineClock::Run> runs;
  for (size_t i = 0; i < schedules.size(); ++i) {
    Result<Instances> loaded = load(kernel, schedules[i], options);
    if (!loaded) {
      return loaded.error();
    }
    executables[i] = std::move(*loaded);
    candidates.push_back({schedules[i].name, "cpu"});
    runs.emplace_back([&of = executables[i], &data](int64_t sample) {
      return of[static_cast<size_t>(sample) % of.size()]->run(
          {.args = data->nextArguments(), .results = data->results});
    });
    // The first run of each instance maps its memory.
    for (int64_t instance = 0; instance < static_cast<int64_t>(instances); ++instance) {
      if (Status status = runs.back()(instance); !status) {
        return status.error();
      }
    }
  }
  MachineLock lock(MachineLock::usualPath());
  MachineClock clock(std::move(runs), &lock);
  if (Status status = clock.setSampleTime(sampleSeconds); !status) {
    return status.error();
  }
  TunerOptions tuner;
  tuner.seconds = options.tuningSeconds;
  tuner.leastGain = leastGain;
  Result<TunerOutcome> outcome = tune(candidates, 0, clock, tuner);
  if (!outcome) {
    return outcome.error();
  }
  RecordedKernel recorded = recordOf(candidates, *outcome);
  recorded.key = tuningKey(kernel, operands);
  recorded.subject = subjectOf(kernel);
  recorded.target = target.name;
  recorded.processor = processorName();
  recorded.version = tuningVersion();
  return recorded;
}

//===- choosing ---------------------------------------------------------------------===//

static Result<TuningRecord> readFor(const CompileOptions &options) {
  bool required = options.tuningMode() == CompileOptions::Tuning::Require;
  if (options.tuningRecord.empty() && required) {
    return diagnose(errors::TuningOptions, "`--tune=require` needs a tuning record", "--tune");
  }
  std::error_code error;
  if (options.tuningRecord.empty() ||
      (!required && !std::filesystem::exists(options.tuningRecord, error))) {
    return TuningRecord();
  }
  return readTuningRecord(options.tuningRecord);
}

static Diagnostic missing(plan::KernelOp kernel, const std::string &key,
                          const RecordedKernel *found, const CpuTarget &target,
                          const CompileOptions &options) {
  std::string what = "kernel `" + key + "` (" + subjectOf(kernel) + ") on `" + target.name + "` ";
  what += found ? "was measured with version `" + found->version +
                      "` of the code generator, and this is `" + tuningVersion() + "`"
                : "is not in the tuning record `" + options.tuningRecord + "`";
  return diagnose(errors::TuningMissing, what, plan::sourceOf(kernel.getLoc()));
}

static const NamedSchedule *findSchedule(const std::vector<NamedSchedule> &schedules,
                                         const std::string &name) {
  auto found = std::ranges::find(schedules, name, &NamedSchedule::name);
  return found == schedules.end() ? nullptr : &*found;
}

static Status checkWinner(const RecordedKernel &recorded,
                          const std::vector<NamedSchedule> &schedules,
                          const CompileOptions &options) {
  if (findSchedule(schedules, recorded.winner)) {
    return Done{};
  }
  std::string known;
  for (const NamedSchedule &schedule : schedules) {
    known += (known.empty() ? "`" : ", `") + schedule.name + "`";
  }
  return diagnose(errors::TuningChoiceUnknown,
                  "kernel `" + recorded.key + "` has no schedule `" + recorded.winner + "`",
                  options.tuningRecord + ":" + std::to_string(recorded.winnerLine),
                  "use one of " + known);
}

// Returns the kernel as if it had been read from a record file, which states the choice but no
// times. A compilation that measures the kernel and one that reads the record therefore make
// identical ledgers.
static RecordedKernel asWritten(const RecordedKernel &measured) {
  TuningRecord record;
  record.put(measured);
  Result<TuningRecord> read = parseTuningRecord(record.str(), "measured");
  const RecordedKernel *found = read ? read->find(measured.key, measured.target) : nullptr;
  return found ? *found : measured;
}

static Decision decide(const RecordedKernel &recorded) {
  bool isOther = recorded.winner != costModelSchedule;
  Decision decision = isOther ? Decision::taken() : Decision::declined(Reason::NotFaster);
  decision.remedy = isOther ? recorded.winner : "";
  std::optional<double> before, after;
  for (const RecordedCandidate &candidate : recorded.candidates) {
    if (!candidate.bounds) {
      continue;
    }
    double time = candidate.bounds->median + candidate.outsideNanoseconds;
    if (candidate.name == costModelSchedule) {
      before = time;
    } else if (isOther ? candidate.name == recorded.winner : !after || time < *after) {
      after = time;
    }
  }
  if (before && after) {
    decision.times = MeasuredTimes{*before, *after};
  }
  return decision;
}

Status tuneKernels(mlir::ModuleOp module, const CpuTarget &target, const CompileOptions &options,
                   Ledger &ledger, Deadline deadline) {
  if (options.tuningMode() == CompileOptions::Tuning::Off) {
    if (options.tuningRecord.empty()) {
      return Done{};
    }
    return diagnose(errors::TuningOptions,
                    "a record is given, but tuning is off and wouldn't use it", "--tune-record");
  }
  Result<TuningRecord> record = readFor(options);
  if (!record) {
    return record.error();
  }
  ledger.beginPhase("codegen");
  llvm::SmallVector<KernelTime> kernels = kernelTimes(module, target);
  for (const KernelTime &each : llvm::reverse(kernels)) {
    Status status = options.budget ? options.budget->check("tuning") : Status(Done{});
    if (!status) {
      return status;
    }
    plan::KernelOp kernel = each.kernel;
    Result<std::vector<NamedSchedule>> schedules = schedulesOf(kernel, target, options.numerics);
    if (!schedules) {
      return schedules.error();
    }
    if (schedules->size() < 2 || gemmScheduleOf(kernel) != schedules->front().schedule) {
      continue;
    }
    Operands operands = operandsOf(kernel, module, target);
    std::string key = tuningKey(kernel, operands);
    const RecordedKernel *found = record->find(key, target.name);
    RecordedKernel recorded;
    if (found && found->version == tuningVersion()) {
      if (Status status = checkWinner(*found, *schedules, options); !status) {
        return status;
      }
      recorded = *found;
    } else if (options.tuningMode() == CompileOptions::Tuning::Require) {
      return missing(kernel, key, found, target, options);
    } else if (deadline && std::chrono::steady_clock::now() >= *deadline) {
      ledger.record(Rule::TuneSchedule, kernel,
                    Decision::declined(Reason::TimeBudgetSpent, nullptr,
                                       "raise `--time-budget`, or continue from the measurements "
                                       "with `--tune-record`"));
      continue;
    } else {
      Result<RecordedKernel> made = measureKernel(kernel, operands, *schedules, target, options);
      if (!made) {
        return made.error();
      }
      recorded = asWritten(*made);
      if (!options.tuningRecord.empty()) {
        // The record is written after each kernel, so that an interrupted compilation keeps the
        // results up to that point.
        if (Status status = addToTuningRecord(options.tuningRecord, std::move(*made)); !status) {
          return status;
        }
      }
    }
    Decision decision = ledger.recordUnlessOff(Rule::TuneSchedule, kernel, decide(recorded));
    if (decision.isTaken()) {
      setSchedule(kernel, findSchedule(*schedules, recorded.winner)->schedule);
      kernel.setKey(plan::kernelKey(kernel));
    }
  }
  return Done{};
}

} // namespace drumlin

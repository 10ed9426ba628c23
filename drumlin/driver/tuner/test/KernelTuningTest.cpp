// Tests kernels with measured schedules: the same record gives the same image, missing or wrong
// entries are reported, and measurements on a busy machine don't choose a slower schedule than
// measurements on a quiet machine.
#include "drumlin/driver/tuner/test/TunedPrograms.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/RequirementErrors.h"
#include "drumlin/support/diagnostics/TuningErrors.h"
#include "drumlin/target/TargetNames.h"
#include "llvm/ADT/StringExtras.h"

#include <csignal>
#include <cstring>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace drumlin {

//===- records ------------------------------------------------------------------------===//

static const std::string &twoDots() {
  static const std::string text = mainOf(
      "%a: tensor<96x128xf32>, %b: tensor<128x160xf32>, %c: tensor<160x64xf32>",
      "tensor<96x64xf32>",
      "    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<96x128xf32>, "
      "tensor<128x160xf32>) -> tensor<96x160xf32>\n"
      "    %1 = stablehlo.dot_general %0, %c, contracting_dims = [1] x [0] : (tensor<96x160xf32>, "
      "tensor<160x64xf32>) -> tensor<96x64xf32>\n"
      "    return %1 : tensor<96x64xf32>\n");
  return text;
}

TEST_F(KernelTuningTest, MeasuredOnceReplayedExactly) {
  Result<Compilation> measured = compiled(twoDots(), Tuning::On);
  ASSERT_TRUE(measured) << measured.error().str();
  std::string record = read();
  Result<TuningRecord> parsed = parseTuningRecord(record, "record");
  ASSERT_TRUE(parsed) << parsed.error().str();
  ASSERT_EQ(parsed->kernels().size(), 2u);
  Result<TuningRecord> times = readTuningRecord(timesPath(options.tuningRecord), TuningText::Times);
  ASSERT_TRUE(times) << times.error().str();
  EXPECT_EQ(times->str(), record);
  for (const RecordedKernel &kernel : times->kernels()) {
    EXPECT_GT(kernel.candidates.size(), 3u);
    EXPECT_EQ(kernel.candidates[0].name, "default");
    EXPECT_NE(kernel.subject.find("dot_general tensor<96x"), std::string::npos);
    size_t most = 0;
    for (const RecordedCandidate &candidate : kernel.candidates) {
      most = std::max(most, candidate.samples.size());
    }
    // All candidates that remain at the end have the same number of samples.
    EXPECT_GT(most, 0u);
  }
  for (unsigned threads : {1u, 2u}) {
    options.threads = threads;
    for (Tuning tuning : {Tuning::Require, Tuning::On}) {
      Result<Compilation> replayed = compiled(twoDots(), tuning);
      ASSERT_TRUE(replayed) << replayed.error().str();
      EXPECT_TRUE(replayed->image == measured->image);
    }
  }
  EXPECT_EQ(read(), record);
}

// Without a record, measurements are used for one compilation and aren't stored.
TEST_F(KernelTuningTest, WithoutARecordNothingIsWritten) {
  options.tuningRecord.clear();
  options.tuningSeconds = 0.05;
  ASSERT_TRUE(compiled(twoDots(), Tuning::On));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder),
                          std::filesystem::directory_iterator()),
            1); // the kernel cache
}

// A kernel gets the winner that a person writes into the record, and the plan has this schedule.
TEST_F(KernelTuningTest, AWinnerChosenByHandIsTaken) {
  Result<Compilation> usual = compiled(twoDots(), Tuning::Off);
  ASSERT_TRUE(usual);
  EXPECT_NE(usual->planText.find("plan.schedule = #plan.gemm<"), std::string::npos);
  std::string chosen;
  write("# chosen by a person\n" + recordWith(twoDots(), [&](const std::vector<std::string> &all) {
          return chosen = all[1];
        }));
  Result<Compilation> edited = compiled(twoDots(), Tuning::Require);
  ASSERT_TRUE(edited) << edited.error().str();
  auto schedules = [](const std::string &plan) {
    std::vector<std::string> found;
    for (size_t at = 0; (at = plan.find("#plan.gemm<", at)) != std::string::npos; ++at) {
      found.push_back(plan.substr(at, plan.find('>', at) - at));
    }
    return found;
  };
  EXPECT_EQ(schedules(edited->planText).size(), 2u);
  EXPECT_NE(schedules(edited->planText), schedules(usual->planText)) << chosen;
  EXPECT_NE(edited->phases.ledger.json().find("tune-schedule"), std::string::npos);
  EXPECT_FALSE(edited->image == usual->image);
  // With tuning off, the cost model's choice returns.
  Result<Compilation> off = compiled(twoDots(), Tuning::Off);
  ASSERT_TRUE(off);
  EXPECT_TRUE(off->image == usual->image);
}

// If a kernel is measured, the record's blocks of other programs and targets stay unchanged.
TEST_F(KernelTuningTest, MeasuringAddsToTheRecord) {
  std::string other = "drumlin tuning record 1\n\n# of another program\nkernel 0000\n  target t\n"
                      "  version v\n  candidate default\n  winner default rule hand\n";
  write(other);
  options.tuningSeconds = 0.05;
  ASSERT_TRUE(compiled(twoDots(), Tuning::On));
  std::string text = read();
  EXPECT_EQ(text.substr(0, other.size()), other);
  EXPECT_EQ(parseTuningRecord(text, "r")->kernels().size(), 3u);
}

// A kernel is measured once for a small program, whose weights fit in the cache, and once for a
// large program, whose weights don't. A kernel without large arguments is measured only once.
TEST_F(KernelTuningTest, WhereOperandsLieIsPartOfTheKey) {
  // Returns a chain of `layers` dots of the same shape. Their kernels are equal; each dot has a
  // megabyte of weights.
  auto chain = [](int64_t layers, int64_t width) {
    std::string rows = tensorOf({32, width}, "f32"), square = tensorOf({width, width}, "f32");
    std::string arguments = "%x0: " + rows, body, last = "%x0";
    for (int64_t i = 0; i < layers; ++i) {
      std::string weight = "%w" + std::to_string(i), next = "%x" + std::to_string(i + 1);
      arguments += ", " + weight + ": " + square;
      body += "    " + next + " = stablehlo.dot_general " + last + ", " + weight +
              ", contracting_dims = [1] x [0] : (" + rows + ", " + square + ") -> " + rows + "\n";
      last = next;
    }
    return mainOf(arguments, rows, body + "    return " + last + " : " + rows + "\n");
  };
  auto keyOf = [&](int64_t layers, int64_t width) {
    Result<TuningRecord> record = parseTuningRecord(
        recordWith(chain(layers, width), [](const auto &all) { return all[0]; }), "record");
    EXPECT_TRUE(record);
    EXPECT_EQ(record->kernels().size(), 1u);
    return record->kernels()[0].key;
  };
  std::string near = keyOf(1, 512), far = keyOf(6, 512);
  EXPECT_EQ(near.substr(0, near.find('/')), far.substr(0, far.find('/')));
  EXPECT_EQ(near.substr(near.find('/')), "/near");
  EXPECT_EQ(far.substr(far.find('/')), "/far");
  EXPECT_EQ(keyOf(1, 128), keyOf(60, 128));
}

//===- missing and wrong entries ------------------------------------------------------===//

TEST_F(KernelTuningTest, RequireNamesWhatIsMissing) {
  write("drumlin tuning record 1\n");
  Result<Compilation> made = compiled(twoDots(), Tuning::Require);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, errors::TuningMissing);
  EXPECT_EQ(info(made.error().code).status, ExitStatus::ContractUnmet);
  TestProgram program(twoDots());
  ASSERT_TRUE(program.run());
  auto first = *program.module->getOps<plan::KernelOp>().begin();
  EXPECT_NE(made.error().message.find(tuningKey(first, Operands::Near)), std::string::npos);
  EXPECT_NE(made.error().message.find("dot_general tensor<96x128xf32>"), std::string::npos);
  // A record that doesn't exist is reported as a file that can't be read.
  std::filesystem::remove(options.tuningRecord);
  EXPECT_EQ(compiled(twoDots(), Tuning::Require).error().code, errors::FileNotReadable);
}

// Measurements of another version or target don't apply.
TEST_F(KernelTuningTest, OtherVersionsAndTargetsAreMisses) {
  std::string record =
      recordWith(twoDots(), [&](const std::vector<std::string> &all) { return all[1]; });
  for (const char *field : {"  version ", "  target "}) {
    std::string changed = record;
    for (size_t at = changed.find(field); at != std::string::npos;
         at = changed.find(field, at + 1)) {
      changed.insert(at + std::strlen(field), "x");
    }
    write(changed);
    Result<Compilation> made = compiled(twoDots(), Tuning::Require);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, errors::TuningMissing);
    // A new measurement replaces the block of the other version. The block of the other target
    // stays.
    options.tuningSeconds = 0.02;
    ASSERT_TRUE(compiled(twoDots(), Tuning::On));
    size_t kernels = std::string(field) == "  target " ? 4 : 2;
    EXPECT_EQ(parseTuningRecord(read(), "r")->kernels().size(), kernels);
    EXPECT_TRUE(compiled(twoDots(), Tuning::Require));
  }
}

TEST_F(KernelTuningTest, AnUnknownWinnerIsLocated) {
  std::string record =
      recordWith(twoDots(), [&](const std::vector<std::string> &all) { return all[0]; });
  // The record lists this candidate, so the record is valid. But the kernel has no such schedule.
  size_t at = record.find("  winner default");
  record.insert(at, "  candidate faster\n");
  at = record.find("  winner default");
  record.replace(at, std::strlen("  winner default"), "  winner faster");
  write(record);
  auto line = 1 + std::count(record.begin(), record.begin() + static_cast<ptrdiff_t>(at), '\n');
  for (Tuning tuning : {Tuning::Require, Tuning::On}) {
    Result<Compilation> made = compiled(twoDots(), tuning);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, errors::TuningChoiceUnknown);
    EXPECT_EQ(made.error().location, options.tuningRecord + ":" + std::to_string(line));
    EXPECT_NE(made.error().remedy.find("`default`, "), std::string::npos);
  }
}

// A schedule in a program's text that doesn't fit the kernel.
TEST_F(KernelTuningTest, AScheduleThatDoesNotFitIsRefused) {
  TestProgram program(twoDots());
  ASSERT_TRUE(program.run());
  for (auto kernel : program.module->getOps<plan::KernelOp>()) {
    GemmSchedule schedule = *gemmScheduleOf(kernel);
    schedule.tileColumns = 17;
    setSchedule(kernel, schedule);
  }
  CompileOptions with = options;
  with.tuningRecord.clear();
  with.startFrom = "buffers";
  Result<Compilation> made = compile(*program.module, "test", with);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, errors::ScheduleUnfit);
  EXPECT_NE(made.error().message.find("multiple of 16"), std::string::npos);
}

TEST_F(KernelTuningTest, ADamagedRecordIsNeverOverwritten) {
  write("not a record\n");
  for (Tuning tuning : {Tuning::Require, Tuning::On}) {
    Result<Compilation> made = compiled(twoDots(), tuning);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, errors::TuningRecordInvalid);
  }
  EXPECT_EQ(read(), "not a record\n");
}

TEST_F(KernelTuningTest, OptionsThatContradictAreRefused) {
  TestProgram program(twoDots());
  CompileOptions with = options; // a record, with tuning off
  EXPECT_EQ(compile(*program.module, "test", with).error().code, errors::TuningOptions);
  TestProgram again(twoDots());
  with.tuning = Tuning::Require;
  with.tuningRecord.clear();
  EXPECT_EQ(compile(*again.module, "test", with).error().code, errors::TuningOptions);
}

//===- this machine -------------------------------------------------------------------===//

// Processes that compute in an endless loop until the object goes out of scope.
class BusyProcesses {
public:
  explicit BusyProcesses(int count) {
    for (int i = 0; i < count; ++i) {
      pid_t child = fork();
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        volatile double value = 1;
        while (true) {
          value = value * 1.0000001 + 1e-9;
        }
      }
      children.push_back(child);
    }
  }
  ~BusyProcesses() {
    for (pid_t child : children) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }

private:
  std::vector<pid_t> children;
};

// Returns the median ratio of one candidate's time to another candidate's time, over the rounds in
// which both were measured.
static double slowness(const RecordedKernel &measured, const std::string &of,
                       const std::string &than) {
  auto samplesOf = [&](const std::string &name) -> const std::vector<RecordedSample> & {
    return std::find_if(measured.candidates.begin(), measured.candidates.end(),
                        [&](const RecordedCandidate &candidate) { return candidate.name == name; })
        ->samples;
  };
  const std::vector<RecordedSample> &numerators = samplesOf(of), &denominators = samplesOf(than);
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(numerators.size(), denominators.size()); ++i) {
    ratios.push_back(numerators[i].nanoseconds / denominators[i].nanoseconds);
  }
  return median(ratios);
}

class SlowKernelTuningTest : public KernelTuningTest {
protected:
  // Measures a kernel on the quiet machine, then three times while two other processes are busy,
  // and again on the quiet machine. `first` replaces the cost model's choice, unless it is empty.
  // Compares times by the medians of both quiet measurements: a winner of the busy measurements may
  // take at most `most` times as long as a winner of the quiet ones. Gains below 5 % don't count,
  // and whether candidates that differ by about 5 % are distinguished depends on the processor and
  // its load.
  void expectNothingSlowerWhenBusy(const std::string &text, const std::string &first, double most) {
    Result<CpuTarget> target = cpuTargetFromName("native");
    TestProgram program(text);
    ASSERT_TRUE(program.run());
    auto kernel = *program.module->getOps<plan::KernelOp>().begin();
    Result<std::vector<NamedSchedule>> schedules = schedulesOf(kernel, *target, Numerics::Default);
    ASSERT_TRUE(schedules);
    auto place = std::ranges::find(*schedules, first, &NamedSchedule::name);
    if (place != schedules->end()) {
      std::iter_swap(schedules->begin(), place);
    }
    Operands operands = operandsOf(kernel, *program.module, *target);
    std::vector<RecordedKernel> quiet;
    std::vector<std::string> winners;
    auto measure = [&] {
      Result<RecordedKernel> recorded =
          measureKernel(kernel, operands, *schedules, *target, options);
      EXPECT_TRUE(recorded);
      return *recorded;
    };
    quiet.push_back(measure());
    {
      BusyProcesses busy(2);
      for (int i = 0; i < 3; ++i) {
        winners.push_back(measure().winner);
      }
    }
    quiet.push_back(measure());
    std::vector<double> slower;
    for (const std::string &winner : winners) {
      slower.push_back(std::min(slowness(quiet[0], winner, quiet[0].winner),
                                slowness(quiet[1], winner, quiet[1].winner)));
    }
    EXPECT_LE(median(slower), most) << llvm::join(winners, ", ") << " instead of "
                                    << quiet[0].winner << " or " << quiet[1].winner << "\n"
                                    << text;
  }
};

TEST_F(SlowKernelTuningTest, ABusyMachineChoosesNothingSlower) {
  const std::string texts[] = {
      dot(384, 768, 512, "f32", false, "f32"), dot(64, 256, 256, "f32", false, "f32"),
      dot(20, 512, 512, "f32", false, "f32"),  dot(256, 256, 256, "bf16", false, "bf16"),
      dot(100, 100, 100, "f32", false, "f32"),
  };
  for (const std::string &text : texts) {
    options.tuningSeconds = 3;
    expectNothingSlowerWhenBusy(text, "", 1.2);
  }
}

// A preferred schedule that is 12 % slower than the best is rejected, both on a quiet and on a busy
// machine.
TEST_F(SlowKernelTuningTest, ASlowPreferenceIsGivenUpOnABusyMachine) {
  if (!llvm::cast<CpuTarget>(*nativeTarget()).has("avx512f")) {
    GTEST_SKIP() << "the slow micro-kernel needs 32 registers";
  }
  // This is enough time to distinguish the preferred schedule from the best, in spite of the busy
  // processes and other load.
  options.tuningSeconds = 10;
  expectNothingSlowerWhenBusy(dot(384, 768, 512, "f32", false, "f32"), "kernel-9x3", 1.1);
}

} // namespace drumlin

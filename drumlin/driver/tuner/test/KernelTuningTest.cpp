// Kernels with measured schedules: every schedule gives the same bits, records replay to the same
// image, and what is missing or wrong in them is said.
#include "drumlin/driver/tuner/KernelTuning.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/driver/test/TestProgram.h"
#include "drumlin/runtime/executable/Executable.h"
#include "drumlin/support/FloatFormats.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace drumlin {

using Tuning = CompileOptions::Tuning;

static std::string tensorOf(std::initializer_list<int64_t> shape, const std::string &type) {
  std::string text = "tensor<";
  for (int64_t size : shape) {
    text += std::to_string(size) + "x";
  }
  return text + type + ">";
}

static std::string mainOf(const std::string &arguments, const std::string &results,
                          const std::string &body) {
  return "module @g {\n  func.func public @main(" + arguments + ") -> (" + results + ") {\n" +
         body + "  }\n}\n";
}

static std::string dot(int64_t m, int64_t k, int64_t n, const std::string &type, bool checkpoint,
                       const std::string &sumType) {
  std::string lhs = tensorOf({m, k}, type);
  std::string rhs = checkpoint ? tensorOf({n, k}, type) : tensorOf({k, n}, type);
  std::string result = tensorOf({m, n}, sumType);
  return mainOf("%a: " + lhs + ", %b: " + rhs, result,
                "    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [" +
                    std::string(checkpoint ? "1" : "0") + "] : (" + lhs + ", " + rhs + ") -> " +
                    result + "\n    return %0 : " + result + "\n");
}

class KernelTuningTest : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() /
             ("drumlin-tuning-" + std::to_string(getpid()) + "-" +
              testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder);
    options.cacheDirectory = folder / "cache";
    options.threads = 1;
    options.tuningRecord = folder / "record.txt";
    options.tuningSeconds = 0.2;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Result<Compilation> compiled(const std::string &text, Tuning tuning) {
    TestProgram program(text);
    EXPECT_TRUE(program.module) << text;
    CompileOptions with = options;
    with.tuning = tuning;
    if (tuning == Tuning::Off) {
      with.tuningRecord.clear();
    }
    return compile(*program.module, "test", with);
  }

  // The record of all kernels of a program, without samples, each with this winner.
  std::string recordWith(const std::string &text,
                         const std::function<std::string(const std::vector<std::string> &)> &pick) {
    TestProgram program(text);
    EXPECT_TRUE(program.run());
    Result<CpuTarget> target = cpuTargetFromName(options.targetCpu);
    CompileOptions quick = options;
    quick.tuningSeconds = 0;
    TuningRecord record;
    for (auto kernel : program.module->getOps<plan::KernelOp>()) {
      Result<std::vector<std::string>> schedules = schedulesOf(kernel, *target);
      EXPECT_TRUE(schedules);
      if (schedules->size() < 2) {
        continue;
      }
      Result<RecordedKernel> recorded = measureKernel(kernel, *schedules, *target, quick);
      EXPECT_TRUE(recorded) << recorded.error().str();
      EXPECT_EQ(recorded->winner, "default");
      recorded->winner = pick(*schedules);
      recorded->rule = "hand";
      record.put(*recorded);
    }
    return record.str();
  }

  void write(const std::string &text) {
    std::ofstream(options.tuningRecord, std::ios::binary | std::ios::trunc) << text;
  }
  std::string read() const {
    std::ifstream file(options.tuningRecord, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  std::filesystem::path folder;
  CompileOptions options;
};

static std::vector<Tensor> argumentsOf(const Executable &executable) {
  std::vector<Tensor> arguments;
  std::mt19937_64 generator(3);
  for (const ValueDescription &value : executable.arguments()) {
    Tensor tensor(value.type, value.shape);
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      double uniform = static_cast<double>(generator() >> 11) * 0x1p-53 * 2 - 1;
      std::byte *element = tensor.data() + i * storageBytes(value.type);
      if (isFloat(value.type)) {
        encodeRun(value.type, &uniform, element, 1);
      } else {
        *element = static_cast<std::byte>(static_cast<int8_t>(uniform * 100));
      }
    }
    arguments.push_back(tensor);
  }
  return arguments;
}

static std::vector<std::string> resultsOf(const Compilation &compilation) {
  auto executable = Executable::loadFromMemory(
      std::as_bytes(std::span<const char>(compilation.image)), "test", {});
  EXPECT_TRUE(executable) << executable.error().str();
  auto results = (*executable)->call(argumentsOf(**executable));
  EXPECT_TRUE(results) << results.error().str();
  std::vector<std::string> bytes;
  for (const Tensor &result : *results) {
    bytes.emplace_back(reinterpret_cast<const char *>(result.data()),
                       static_cast<size_t>(result.bytes()));
  }
  return bytes;
}

//===- schedules ----------------------------------------------------------------------===//

static std::vector<std::string> problems() {
  std::vector<std::string> texts;
  for (const char *type : {"f32", "bf16", "f16", "f64", "i8", "f8E4M3FN"}) {
    std::string sumType = std::string(type) == "i8" ? "i32" : type;
    for (bool checkpoint : {false, true}) {
      texts.push_back(dot(70, 90, 110, type, checkpoint, sumType));
      texts.push_back(dot(3, 300, 261, type, checkpoint, sumType));
    }
  }
  texts.push_back(dot(12, 600, 300, "f32", false, "f32"));
  texts.push_back(dot(300, 40, 2, "f32", false, "f32"));
  // The largest magnitude of the result, a sum over it, and results of two types.
  std::string lhs = tensorOf({80, 64}, "bf16"), rhs = tensorOf({64, 272}, "bf16"),
              result = tensorOf({80, 272}, "f32"), narrow = tensorOf({80, 272}, "bf16");
  for (const char *reducer : {"maximum", "add"}) {
    texts.push_back(
        mainOf("%a: " + lhs + ", %b: " + rhs, narrow + ", tensor<f32>",
               "    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (" + lhs +
                   ", " + rhs + ") -> " + result + "\n    %1 = stablehlo.abs %0 : " + result +
                   "\n    %c = stablehlo.constant dense<0.0> : tensor<f32>\n" +
                   "    %2 = stablehlo.reduce(%1 init: %c) applies stablehlo." + reducer +
                   " across dimensions = [0, 1] : (" + result + ", tensor<f32>) -> tensor<f32>\n" +
                   "    %3 = stablehlo.convert %0 : (" + result + ") -> " + narrow +
                   "\n    return %3, %2 : " + narrow + ", tensor<f32>\n"));
  }
  // A batch of products, and a convolution with padding.
  texts.push_back(mainOf(
      "%a: tensor<5x40x48xf32>, %b: tensor<5x48x56xf32>", "tensor<5x40x56xf32>",
      "    %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x "
      "[1] : (tensor<5x40x48xf32>, tensor<5x48x56xf32>) -> tensor<5x40x56xf32>\n"
      "    return %0 : tensor<5x40x56xf32>\n"));
  texts.push_back(mainOf(
      "%a: tensor<2x17x19x8xf32>, %b: tensor<3x3x8x24xf32>", "tensor<2x17x19x24xf32>",
      "    %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, "
      "f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 "
      ": i64} : (tensor<2x17x19x8xf32>, tensor<3x3x8x24xf32>) -> tensor<2x17x19x24xf32>\n"
      "    return %0 : tensor<2x17x19x24xf32>\n"));
  return texts;
}

// Tuning changes no bit of any result: every schedule of every problem, on every target that this
// machine runs, gives what the cost model's gives.
TEST_F(KernelTuningTest, EveryScheduleGivesTheSameBits) {
  size_t schedules = 0;
  for (const char *target : {"native", "avx2", "baseline"}) {
    options.targetCpu = target;
    for (const std::string &text : problems()) {
      SCOPED_TRACE(std::string(target) + "\n" + text);
      Result<Compilation> usual = compiled(text, Tuning::Off);
      ASSERT_TRUE(usual) << usual.error().str();
      std::vector<std::string> expected = resultsOf(*usual), names;
      recordWith(text, [&](const std::vector<std::string> &all) {
        names = all;
        return all[0];
      });
      for (const std::string &name : names) {
        write(recordWith(text, [&](const std::vector<std::string> &) { return name; }));
        Result<Compilation> other = compiled(text, Tuning::Require);
        ASSERT_TRUE(other) << other.error().str();
        EXPECT_TRUE(resultsOf(*other) == expected) << name;
        EXPECT_EQ(other->image == usual->image, name == "default") << name;
        ++schedules;
      }
    }
  }
  EXPECT_GT(schedules, 200u);
}

// What is fast on one thread leaves as much for many.
TEST_F(KernelTuningTest, EveryScheduleSharesItsWork) {
  for (const std::string &text : problems()) {
    int64_t tiles = 0;
    std::vector<std::string> names;
    recordWith(text, [&](const std::vector<std::string> &all) {
      names = all;
      return all[0];
    });
    for (const std::string &name : names) {
      write(recordWith(text, [&](const std::vector<std::string> &) { return name; }));
      Result<Compilation> made = compiled(text, Tuning::Require);
      ASSERT_TRUE(made);
      int64_t of = made->description.kernels[0].tiles;
      tiles = name == "default" ? of : tiles;
      EXPECT_GE(of, std::min<int64_t>(tiles, 8)) << text << name;
    }
  }
}

// Where there is nothing to choose, nothing is asked of the record.
TEST_F(KernelTuningTest, TinyAndOtherKernelsHaveOneSchedule) {
  const std::string texts[] = {dot(4, 4, 4, "f32", false, "f32"),
                               mainOf("%a: tensor<100x100xf32>", "tensor<100x100xf32>",
                                      "    %0 = stablehlo.exponential %a : tensor<100x100xf32>\n"
                                      "    return %0 : tensor<100x100xf32>\n")};
  write("drumlin tuning record 1\n");
  for (const std::string &text : texts) {
    EXPECT_TRUE(compiled(text, Tuning::Require));
    EXPECT_TRUE(compiled(text, Tuning::On));
  }
  EXPECT_EQ(read(), "drumlin tuning record 1\n");
}

// Three gigabytes of arguments are not made for a measurement.
TEST_F(KernelTuningTest, LargeKernelsHaveOneSchedule) {
  TestProgram program(dot(65536, 8192, 1024, "f32", false, "f32"));
  ASSERT_TRUE(program.run());
  Result<CpuTarget> target = cpuTargetFromName("native");
  auto kernels = program.module->getOps<plan::KernelOp>();
  Result<std::vector<std::string>> schedules = schedulesOf(*kernels.begin(), *target);
  ASSERT_TRUE(schedules);
  EXPECT_EQ(*schedules, std::vector<std::string>{"default"});
}

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
  for (const RecordedKernel &kernel : parsed->kernels()) {
    EXPECT_GT(kernel.candidates.size(), 3u);
    EXPECT_EQ(kernel.candidates[0].name, "default");
    EXPECT_NE(kernel.subject.find("dot_general tensor<96x"), std::string::npos);
    size_t most = 0;
    for (const RecordedCandidate &candidate : kernel.candidates) {
      most = std::max(most, candidate.samples.size());
    }
    // Those that are still in the running at the end all have as many.
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

// Without a record the measurement serves one compilation and is kept nowhere.
TEST_F(KernelTuningTest, WithoutARecordNothingIsWritten) {
  options.tuningRecord.clear();
  options.tuningSeconds = 0.05;
  ASSERT_TRUE(compiled(twoDots(), Tuning::On));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder),
                          std::filesystem::directory_iterator()),
            1); // the kernel cache
}

// A winner that a person writes is what the kernel gets; the plan says so.
TEST_F(KernelTuningTest, AWinnerChosenByHandIsTaken) {
  Result<Compilation> usual = compiled(twoDots(), Tuning::Off);
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->planText.find("plan.schedule"), std::string::npos);
  std::string chosen;
  write("# chosen by a person\n" + recordWith(twoDots(), [&](const std::vector<std::string> &all) {
          return chosen = all[1];
        }));
  Result<Compilation> edited = compiled(twoDots(), Tuning::Require);
  ASSERT_TRUE(edited) << edited.error().str();
  EXPECT_NE(edited->planText.find("plan.schedule = \"" + chosen + "\""), std::string::npos);
  EXPECT_NE(edited->phases.ledger.json().find("tune-schedule"), std::string::npos);
  EXPECT_FALSE(edited->image == usual->image);
  // Off again is the cost model's choice again.
  Result<Compilation> off = compiled(twoDots(), Tuning::Off);
  ASSERT_TRUE(off);
  EXPECT_TRUE(off->image == usual->image);
}

// Blocks of other programs and targets stay as they are when a kernel is measured.
TEST_F(KernelTuningTest, MeasuringAddsToTheRecord) {
  std::string other = "drumlin tuning record 1\n\n# of another program\nkernel 0000\n  target t\n"
                      "  version v\n  candidate default outside 0.0 ns 5.0\n"
                      "  winner default rule hand\n";
  write(other);
  options.tuningSeconds = 0.05;
  ASSERT_TRUE(compiled(twoDots(), Tuning::On));
  std::string text = read();
  EXPECT_EQ(text.substr(0, other.size()), other);
  EXPECT_EQ(parseTuningRecord(text, "r")->kernels().size(), 3u);
}

//===- what is missing or wrong -------------------------------------------------------===//

TEST_F(KernelTuningTest, RequireNamesWhatIsMissing) {
  write("drumlin tuning record 1\n");
  Result<Compilation> made = compiled(twoDots(), Tuning::Require);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, DiagnosticCode::TuningMissing);
  EXPECT_EQ(info(made.error().code).status, ExitStatus::ContractUnmet);
  TestProgram program(twoDots());
  ASSERT_TRUE(program.run());
  auto first = *program.module->getOps<plan::KernelOp>().begin();
  EXPECT_NE(made.error().message.find(first.getKey().str()), std::string::npos);
  EXPECT_NE(made.error().message.find("dot_general tensor<96x128xf32>"), std::string::npos);
  // No record at all is a file that can't be read.
  std::filesystem::remove(options.tuningRecord);
  EXPECT_EQ(compiled(twoDots(), Tuning::Require).error().code, DiagnosticCode::FileNotReadable);
}

// What another version or another target measured is no answer.
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
    EXPECT_EQ(made.error().code, DiagnosticCode::TuningMissing);
    // Measured anew, the block of the other version is replaced, that of another target stays.
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
  // The candidate is listed, so that the record is well formed; only the kernel doesn't have it.
  size_t at = record.find("  winner default");
  record.insert(at, "  candidate faster outside 0.0 ns 1.0\n");
  at = record.find("  winner default");
  record.replace(at, std::strlen("  winner default"), "  winner faster");
  write(record);
  auto line = 1 + std::count(record.begin(), record.begin() + static_cast<ptrdiff_t>(at), '\n');
  for (Tuning tuning : {Tuning::Require, Tuning::On}) {
    Result<Compilation> made = compiled(twoDots(), tuning);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, DiagnosticCode::TuningChoiceUnknown);
    EXPECT_EQ(made.error().location, options.tuningRecord + ":" + std::to_string(line));
    EXPECT_NE(made.error().remedy.find("`default`, "), std::string::npos);
  }
}

// The attribute in a program's text is held to the same.
TEST_F(KernelTuningTest, AnUnknownScheduleInTheTextIsRefused) {
  TestProgram program(twoDots());
  ASSERT_TRUE(program.run());
  for (auto kernel : program.module->getOps<plan::KernelOp>()) {
    kernel->setAttr("plan.schedule", mlir::StringAttr::get(&program.context, "fastest"));
  }
  CompileOptions with = options;
  with.tuningRecord.clear();
  with.startFrom = "buffers";
  Result<Compilation> made = compile(*program.module, "test", with);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, DiagnosticCode::TuningChoiceUnknown);
}

TEST_F(KernelTuningTest, ADamagedRecordIsNeverOverwritten) {
  write("not a record\n");
  for (Tuning tuning : {Tuning::Require, Tuning::On}) {
    Result<Compilation> made = compiled(twoDots(), tuning);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, DiagnosticCode::TuningRecordInvalid);
  }
  EXPECT_EQ(read(), "not a record\n");
}

TEST_F(KernelTuningTest, OptionsThatContradictAreRefused) {
  TestProgram program(twoDots());
  CompileOptions with = options; // a record, and tuning off
  EXPECT_EQ(compile(*program.module, "test", with).error().code, DiagnosticCode::TuningOptions);
  TestProgram again(twoDots());
  with.tuning = Tuning::Require;
  with.tuningRecord.clear();
  EXPECT_EQ(compile(*again.module, "test", with).error().code, DiagnosticCode::TuningOptions);
}

//===- this machine -------------------------------------------------------------------===//

// Processes that do nothing but compute, until they go out of scope.
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

using SlowKernelTuningTest = KernelTuningTest;

// The same winners on a machine that is busy; one-shot timing would be asked for the same there.
TEST_F(SlowKernelTuningTest, BusyProcessesChangeNoWinner) {
  const std::string texts[] = {
      dot(384, 768, 512, "f32", false, "f32"),
      dot(64, 256, 256, "f32", false, "f32"),
      dot(5, 512, 512, "f32", false, "f32"),
      dot(256, 256, 256, "bf16", false, "bf16"),
  };
  Result<CpuTarget> target = cpuTargetFromName("native");
  options.tuningSeconds = 3;
  for (const std::string &text : texts) {
    TestProgram program(text);
    ASSERT_TRUE(program.run());
    auto kernel = *program.module->getOps<plan::KernelOp>().begin();
    Result<std::vector<std::string>> schedules = schedulesOf(kernel, *target);
    ASSERT_TRUE(schedules);
    auto winner = [&] {
      Result<RecordedKernel> recorded = measureKernel(kernel, *schedules, *target, options);
      EXPECT_TRUE(recorded);
      return recorded->winner;
    };
    std::string quiet = winner();
    BusyProcesses busy(2);
    for (int repeat = 0; repeat < 2; ++repeat) {
      EXPECT_EQ(winner(), quiet) << text;
    }
  }
}

} // namespace drumlin

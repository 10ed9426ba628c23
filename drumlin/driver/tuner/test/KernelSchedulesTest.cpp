// Tests that all schedules of a kernel give the same results bit for bit, and use all threads.
#include "drumlin/driver/tuner/test/TunedPrograms.h"
#include "drumlin/ir/plan/KernelOp.h"

#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/target/TargetNames.h"

#include <random>

namespace drumlin {

class KernelSchedulesTest : public KernelTuningTest {
protected:
  size_t checkBits(const char *target);
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
  auto executable = compilation.load("test");
  EXPECT_TRUE(executable) << executable.error().str();
  auto results = call(**executable, argumentsOf(**executable));
  EXPECT_TRUE(results) << results.error().str();
  std::vector<std::string> bytes;
  for (const Tensor &result : *results) {
    bytes.emplace_back(reinterpret_cast<const char *>(result.data()),
                       static_cast<size_t>(result.bytes()));
  }
  return bytes;
}

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
  // Dots with several results: the largest magnitude, the sum, and results of two types.
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
  // A batch of dots, and a convolution with padding.
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

static std::vector<std::string> schedulesIn(const std::string &record) {
  std::vector<std::string> names;
  Result<TuningRecord> parsed = parseTuningRecord(record, "record");
  EXPECT_TRUE(parsed);
  for (const RecordedKernel &kernel : parsed->kernels()) {
    for (const RecordedCandidate &candidate : kernel.candidates) {
      names.push_back(candidate.name);
    }
  }
  return names;
}

// Compares the results of every schedule with those of the cost model's schedule, bit for bit.
// Returns the number of schedules.
size_t KernelSchedulesTest::checkBits(const char *target) {
  size_t checked = 0;
  options.target = *targetFromName(target);
  for (const std::string &text : problems()) {
    SCOPED_TRACE(std::string(target) + "\n" + text);
    Result<Compilation> usual = compiled(text, Tuning::Off);
    EXPECT_TRUE(usual) << usual.error().str();
    std::vector<std::string> expected = resultsOf(*usual);
    auto first = [](const std::vector<std::string> &all) { return all[0]; };
    for (const std::string &name : schedulesIn(recordWith(text, first))) {
      write(recordWith(text, [&](const std::vector<std::string> &) { return name; }));
      Result<Compilation> other = compiled(text, Tuning::Require);
      EXPECT_TRUE(other) << other.error().str();
      EXPECT_TRUE(resultsOf(*other) == expected) << name;
      // Only the plans' texts are compared, since the images' ledgers state the measurements and
      // always differ.
      EXPECT_EQ(other->planText == usual->planText, name == "default") << name;
      ++checked;
    }
  }
  return checked;
}

// Tuning changes no bit of any result.
TEST_F(KernelSchedulesTest, EveryScheduleGivesTheSameBits) { EXPECT_GT(checkBits("native"), 100u); }

// Tests the other targets that this machine can run.
using SlowKernelSchedulesTest = KernelSchedulesTest;
TEST_F(SlowKernelSchedulesTest, EveryScheduleGivesTheSameBits) {
  EXPECT_GT(checkBits("avx2"), 100u);
  EXPECT_GT(checkBits("baseline"), 100u);
  if (llvm::cast<CpuTarget>(*nativeTarget()).registerBytes() == 64) {
    EXPECT_GT(checkBits("native,+emulated-tiles"), 100u);
  }
}

// Schedules are measured on one thread, but all of them have enough tiles for many threads.
TEST_F(KernelSchedulesTest, EveryScheduleSharesItsWork) {
  for (const std::string &text : problems()) {
    int64_t tiles = 0;
    auto first = [](const std::vector<std::string> &all) { return all[0]; };
    for (const std::string &name : schedulesIn(recordWith(text, first))) {
      write(recordWith(text, [&](const std::vector<std::string> &) { return name; }));
      Result<Compilation> made = compiled(text, Tuning::Require);
      ASSERT_TRUE(made);
      int64_t of = made->description.kernels[0].tiles;
      tiles = name == "default" ? of : tiles;
      EXPECT_GE(of, std::min<int64_t>(tiles, 8)) << text << name;
    }
  }
}

// If a kernel has only one schedule, the record isn't consulted.
TEST_F(KernelSchedulesTest, TinyAndOtherKernelsHaveOneSchedule) {
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

// A kernel with three gigabytes of arguments isn't measured, and the arguments aren't allocated.
TEST_F(KernelSchedulesTest, LargeKernelsAreNotMeasured) {
  TestProgram program(dot(65536, 8192, 1024, "f32", false, "f32"));
  ASSERT_TRUE(program.run());
  Result<CpuTarget> target = cpuTargetFromName("native");
  auto kernels = program.module->getOps<plan::KernelOp>();
  Result<std::vector<NamedSchedule>> schedules =
      schedulesOf(*kernels.begin(), *target, Numerics::Default);
  ASSERT_TRUE(schedules);
  EXPECT_TRUE(schedules->empty());
}

} // namespace drumlin

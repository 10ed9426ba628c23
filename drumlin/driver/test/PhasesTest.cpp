// Tests phases: their names, checks between passes, and records.
#include "TestProgram.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "drumlin/transforms/Contracts.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace drumlin {

static constexpr const char *program = R"(
func.func @main(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<4x8xf32> {
  %0 = call @f(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.dot_general %0, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.exponential %1 : tensor<8x4xf32>
  %3 = stablehlo.reshape %2 : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}
func.func private @f(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.negate %x : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
})";

TEST(PhasesTest, EveryPassIsTimedInItsPhase) {
  TestProgram test(program);
  CompileOptions options;
  options.measureMemory = true;
  ASSERT_TRUE(test.run(options));
  std::set<std::string> phases;
  for (const StepTime &step : test.result.times) {
    phases.insert(step.phase);
    EXPECT_GE(step.milliseconds, 0.0) << step.step;
    EXPECT_GT(step.peakKilobytes, 0) << step.step;
  }
  EXPECT_EQ(phases, std::set<std::string>(phaseNames().begin(), phaseNames().end()));
}

// Once a pass has guaranteed a contract, this pass and all later passes are each followed by a
// check.
TEST(PhasesTest, ContractsAreCheckedAfterEveryPass) {
  TestProgram test(program);
  ASSERT_TRUE(test.run());
  bool holding = false;
  std::vector<StepTime> &times = test.result.times;
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i].step == "check-contracts") {
      continue;
    }
    holding |= llvm::any_of(allContracts(), [&](const Contract &contract) {
      return contract.guaranteedBy == times[i].step;
    });
    if (holding) {
      ASSERT_LT(i + 1, times.size()) << times[i].step;
      EXPECT_EQ(times[i + 1].step, "check-contracts") << times[i].step;
    }
  }
  EXPECT_TRUE(holding);
}

TEST(PhasesTest, ContractsCanBeSwitchedOff) {
  TestProgram test(program);
  CompileOptions options;
  options.verifyContracts = false;
  ASSERT_TRUE(test.run(options));
  for (const StepTime &step : test.result.times) {
    EXPECT_NE(step.step, "check-contracts");
  }
}

// For each contract, the pipeline has the pass that guarantees the contract.
TEST(PhasesTest, EveryContractComesToHold) {
  TestProgram test(program);
  ASSERT_TRUE(test.run());
  for (const Contract &contract : allContracts()) {
    EXPECT_TRUE(llvm::any_of(test.result.times, [&](const StepTime &step) {
      return step.step == contract.guaranteedBy;
    })) << contract.name;
    EXPECT_FALSE(contract.check(*test.module)) << contract.name;
  }
}

TEST(PhasesTest, StopsAfterAnyPhase) {
  for (const std::string &phase : phaseNames()) {
    TestProgram test(program);
    CompileOptions options;
    options.stopAfter = phase;
    ASSERT_TRUE(test.run(options)) << phase;
    EXPECT_EQ(test.result.times.back().phase, phase);
  }
}

// Every operation that a pass creates, erases or moves has an entry in the ledger.
TEST(PhasesTest, EveryChangeIsAnswered) {
  size_t changes = 0;
  for (const auto &entry : std::filesystem::directory_iterator(DRUMLIN_MODELS)) {
    std::filesystem::path path = entry.path() / "program.mlir";
    if (!std::filesystem::exists(path)) {
      continue;
    }
    std::ifstream file(path);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    TestProgram program(text);
    ASSERT_TRUE(program.module) << path;
    ASSERT_TRUE(program.run()) << path;
    EXPECT_EQ(program.result.unanswered, std::vector<std::string>()) << path;
    for (const LedgerEntry &entry : program.result.ledger.entries()) {
      changes += static_cast<size_t>(entry.count);
    }
  }
  EXPECT_GT(changes, 1000U);
}

// Phases may split a Fourier transform into several, here a transform of a plane and one of a long
// line. The ledger has entries for all of these changes, too.
TEST(PhasesTest, EveryChangeOfTransformsIsAnswered) {
  TestProgram program(R"(
func.func @main(%x: tensor<20x24xf32>, %y: tensor<20x24xf32>, %z: tensor<131072xf32>) -> (tensor<20x24xf32>, tensor<20x24xf32>, tensor<65537xf32>) {
  %c = stablehlo.complex %x, %y : (tensor<20x24xf32>, tensor<20x24xf32>) -> tensor<20x24xcomplex<f32>>
  %f = stablehlo.fft %c, type = IFFT, length = [20, 24] : (tensor<20x24xcomplex<f32>>) -> tensor<20x24xcomplex<f32>>
  %r = stablehlo.real %f : (tensor<20x24xcomplex<f32>>) -> tensor<20x24xf32>
  %i = stablehlo.imag %f : (tensor<20x24xcomplex<f32>>) -> tensor<20x24xf32>
  %g = stablehlo.fft %z, type = RFFT, length = [131072] : (tensor<131072xf32>) -> tensor<65537xcomplex<f32>>
  %s = stablehlo.imag %g : (tensor<65537xcomplex<f32>>) -> tensor<65537xf32>
  return %r, %i, %s : tensor<20x24xf32>, tensor<20x24xf32>, tensor<65537xf32>
})");
  ASSERT_TRUE(program.module);
  ASSERT_TRUE(program.run());
  EXPECT_EQ(program.result.unanswered, std::vector<std::string>());
  EXPECT_TRUE(llvm::any_of(program.result.ledger.entries(), [](const LedgerEntry &entry) {
    return entry.rule == "split-transform";
  }));
}

TEST(PhasesTest, UnknownPhaseNamesTheKnownOnes) {
  for (bool start : {false, true}) {
    TestProgram test(program);
    CompileOptions options;
    (start ? options.startFrom : options.stopAfter) = "polish";
    Status status = test.run(options);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, errors::UnknownPhase);
    for (const std::string &phase : phaseNames()) {
      EXPECT_NE(status.error().str().find(phase), std::string::npos) << status.error().str();
    }
  }
}

TEST(PhasesTest, FailingPassSaysWhichPhaseAndWhere) {
  TestProgram test(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("model.py":7:3)
  return %0 : tensor<4xf32>
}
func.func private @f(tensor<4xf32>) -> tensor<4xf32>)");
  Status status = test.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errors::PassFailed);
  EXPECT_NE(status.error().str().find("phase `simplify`"), std::string::npos)
      << status.error().str();
  EXPECT_NE(status.error().str().find("model.py:7:3"), std::string::npos) << status.error().str();
}

// A requested layout of an argument or result must be an order of its dimensions.
TEST(PhasesTest, UserLayoutsAreOrders) {
  auto runWith = [](const std::string &argument, const std::string &result) {
    TestProgram test("func.func @main(%x: tensor<3x4x2xf32> {mhlo.layout_mode = \"" + argument +
                     "\"}) -> (tensor<3x4x2xf32> {mhlo.layout_mode = \"" + result +
                     "\"}) {\n  return %x : tensor<3x4x2xf32>\n}");
    EXPECT_TRUE(test.module);
    return test.run();
  };
  for (const char *layout : {"default", "auto", "{2,1,0}", "{2, 1, 0}", "{0,1,2}", "{1,2,0}"}) {
    EXPECT_TRUE(runWith(layout, layout)) << layout;
    EXPECT_TRUE(runWith(layout, "{0,2,1}")) << layout;
  }
  for (const char *layout :
       {"{1,0}", "row", "{1,2,3}", "{0,0,1}", "{2,1,0:T(8,128)}", "{2,1,0,}"}) {
    for (bool isArgument : {true, false}) {
      Status status = runWith(isArgument ? layout : "auto", isArgument ? "auto" : layout);
      ASSERT_FALSE(status) << layout;
      EXPECT_EQ(status.error().code, errors::UnsupportedAttribute);
      EXPECT_NE(status.error().message.find(isArgument ? "argument 0" : "result 0"),
                std::string::npos);
    }
  }
}

// Contracts aren't checked in the regions of operations without native code. A later step reports
// these operations.
TEST(PhasesTest, RegionsOfForeignOperationsAreTheirOwn) {
  TestProgram test(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<f32>):
    %1 = stablehlo.negate %a : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})");
  ASSERT_TRUE(test.module);
  Status status = test.run();
  EXPECT_TRUE(status) << status.error().str();
}

// Several threads emit kernels, and all of them create affine expressions in one context.
TEST(PhasesTest, KernelsAreEmittedInAContextWithLocks) {
  std::string text = "func.func @main(";
  std::string types, values, body;
  for (int i = 0; i < 40; ++i) {
    std::string n = std::to_string(i), from = "tensor<" + std::to_string(3 + i) + "x5x7xf32>",
                to = "tensor<7x" + std::to_string(3 + i) + "x5xf32>";
    text += (i == 0 ? "%a" : ", %a") + n + ": " + from;
    types += (i == 0 ? "" : ", ") + to;
    values += (i == 0 ? "%r" : ", %r") + n;
    body += "  %t" + n + " = stablehlo.transpose %a" + n + ", dims = [2, 0, 1] : (" + from +
            ") -> " + to + "\n  %r" + n + " = stablehlo.reverse %t" + n + ", dims = [1] : " + to +
            "\n";
  }
  text += ") -> (" + types + ") {\n" + body + "  return " + values + " : " + types + "\n}";
  TestProgram test(text);
  ASSERT_TRUE(test.module);
  CompileOptions options;
  options.useCache = false;
  options.threads = 8;
  size_t emitted = 0;
  options.progress = [&](const std::string &step, size_t, size_t) {
    if (step == "kernels") {
      EXPECT_TRUE(test.context.isMultithreadingEnabled());
      ++emitted;
    }
  };
  ASSERT_TRUE(compile(*test.module, "test", options));
  EXPECT_EQ(emitted, 40u);
  EXPECT_FALSE(test.context.isMultithreadingEnabled());
}

// `isInterrupted` is called on the calling thread, before each phase and kernel and after each
// pass.
TEST(Phases, InterruptionEndsACompilation) {
  std::string text = "func.func @main(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
                     "  %r = stablehlo.tanh %a : tensor<4x4xf32>\n"
                     "  return %r : tensor<4x4xf32>\n}";
  size_t asked = 0, times = 0;
  CompileOptions options;
  options.useCache = false;
  options.isInterrupted = [&, caller = std::this_thread::get_id()] {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    return ++asked == times;
  };
  TestProgram whole(text);
  ASSERT_TRUE(compile(*whole.module, "test", options));
  size_t all = asked;
  EXPECT_GT(all, phaseNames().size());
  for (times = 1; times <= all; ++times) {
    asked = 0;
    TestProgram test(text);
    Result<Compilation> made = compile(*test.module, "test", options);
    ASSERT_FALSE(made) << times;
    EXPECT_EQ(made.error().code, errors::CompileInterrupted);
    EXPECT_EQ(asked, times);
  }
}

} // namespace drumlin

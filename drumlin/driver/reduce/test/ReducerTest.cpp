#include "drumlin/driver/reduce/Reducer.h"
#include "drumlin/driver/reduce/ArgumentNumbers.h"
#include "drumlin/driver/reduce/Conditions.h"

#include "drumlin/driver/test/TestProgram.h"
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/CosineOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/SineOp.h"
#include "drumlin/ir/stablehlo/TanhOp.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "mlir/Pass/Pass.h"

#include <gtest/gtest.h>

#include <csignal>

namespace drumlin {

static std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return llvm::StringRef(text).trim().str();
}

static std::string reduced(const TestProgram &program, IsInteresting isInteresting,
                           ReduceOptions options = {}, ReduceReport *report = nullptr) {
  Result<mlir::OwningOpRef<mlir::ModuleOp>> made =
      reduceProgram(*program.module, options, isInteresting, report);
  return made ? textOf(**made) : made.error().str();
}

template <typename Op> static bool has(mlir::ModuleOp module) {
  return module->walk([](Op) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

// A program with a call, a loop, a branch and many results. The conditions of the tests require
// operations in the called function, the loop and the branch.
static constexpr const char *mixed = R"(
module @mixed attributes {mhlo.num_partitions = 1 : i32} {
  func.func private @layer(%x: tensor<8x16xbf16>, %y: tensor<8x16xbf16>) -> tensor<8x16xbf16> {
    %0 = stablehlo.tanh %x : tensor<8x16xbf16>
    %1 = stablehlo.subtract %0, %y : tensor<8x16xbf16>
    return %1 : tensor<8x16xbf16>
  }
  func.func public @main(%a: tensor<8x16xbf16> {tf.aliasing_output = 1 : i32}, %b: tensor<8x16xbf16>, %n: tensor<i64>) -> (tensor<8xbf16>, tensor<8x16xbf16>, tensor<4x3xbf16>, tensor<16x8xbf16>) {
    %zero = stablehlo.constant dense<0> : tensor<i64>
    %one = stablehlo.constant dense<1> : tensor<i64>
    %init = stablehlo.constant dense<0.5> : tensor<bf16>
    %c = func.call @layer(%a, %b) : (tensor<8x16xbf16>, tensor<8x16xbf16>) -> tensor<8x16xbf16>
    %l:2 = stablehlo.while(%i = %zero, %v = %c) : tensor<i64>, tensor<8x16xbf16>
     cond {
      %t = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %s = stablehlo.sine %v : tensor<8x16xbf16>
      %j = stablehlo.add %i, %one : tensor<i64>
      stablehlo.return %j, %s : tensor<i64>, tensor<8x16xbf16>
    }
    %p = stablehlo.compare EQ, %l#0, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %f = "stablehlo.if"(%p) ({
      %e = stablehlo.cosine %l#1 : tensor<8x16xbf16>
      stablehlo.return %e : tensor<8x16xbf16>
    }, {
      %e = stablehlo.negate %l#1 : tensor<8x16xbf16>
      stablehlo.return %e : tensor<8x16xbf16>
    }) : (tensor<i1>) -> tensor<8x16xbf16>
    %r = stablehlo.reduce(%f init: %init) applies stablehlo.maximum across dimensions = [1] : (tensor<8x16xbf16>, tensor<bf16>) -> tensor<8xbf16>
    %w = stablehlo.slice %f [1:8:2, 2:5] : (tensor<8x16xbf16>) -> tensor<4x3xbf16>
    %q = stablehlo.transpose %f, dims = [1, 0] : (tensor<8x16xbf16>) -> tensor<16x8xbf16>
    return %r, %f, %w, %q : tensor<8xbf16>, tensor<8x16xbf16>, tensor<4x3xbf16>, tensor<16x8xbf16>
  }
}
)";

// The condition requires a cosine, which is in a branch. Only the cosine remains, on the simplest
// type.
TEST(ReducerTest, BranchIsInlined) {
  TestProgram program(mixed);
  EXPECT_EQ(
      reduced(program, [](mlir::ModuleOp module) { return has<stablehlo::CosineOp>(module); }),
      R"(module {
  func.func public @main(%arg0: tensor<1x1xf32>) -> tensor<1x1xf32> {
    %0 = stablehlo.cosine %arg0 : tensor<1x1xf32>
    return %0 : tensor<1x1xf32>
  }
})");
}

// The condition requires an operation in a called function. Only this operation remains.
TEST(ReducerTest, CallIsInlined) {
  TestProgram program(mixed);
  EXPECT_EQ(reduced(program, [](mlir::ModuleOp module) { return has<stablehlo::TanhOp>(module); }),
            R"(module {
  func.func public @main(%arg0: tensor<1x1xf32>) -> tensor<1x1xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<1x1xf32>
    return %0 : tensor<1x1xf32>
  }
})");
}

// The condition requires a loop with a sine. The loop loses the carried values that the condition
// doesn't need.
TEST(ReducerTest, LoopKeepsWhatIsNeeded) {
  TestProgram program(mixed);
  auto hasLoop = [](mlir::ModuleOp module) {
    bool found = false;
    module->walk([&](stablehlo::WhileOp loop) {
      loop.getBody().walk([&](stablehlo::SineOp) { found = true; });
    });
    return found;
  };
  ReduceReport report;
  std::string text = reduced(program, hasLoop, {}, &report);
  EXPECT_EQ(report.end, ReduceReport::End::FixedPoint);
  EXPECT_LE(report.operationsAfter, 3) << text;
  EXPECT_EQ(text.find("call"), std::string::npos) << text;
  EXPECT_NE(text.find("tensor<1x1xf32>"), std::string::npos) << text;
}

// The condition requires several operations: an add that reads a transpose's result, and a
// reduction.
TEST(ReducerTest, PairOfOperations) {
  TestProgram program(R"(
func.func @main(%x: tensor<6x8xf64>, %y: tensor<8x6xf64>) -> (tensor<8xf64>, tensor<10x6xf64>) {
  %init = stablehlo.constant dense<1.5> : tensor<f64>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x8xf64>) -> tensor<8x6xf64>
  %1 = stablehlo.add %0, %y : tensor<8x6xf64>
  %2 = stablehlo.reduce(%1 init: %init) applies stablehlo.add across dimensions = [1] : (tensor<8x6xf64>, tensor<f64>) -> tensor<8xf64>
  %3 = stablehlo.pad %1, %init, low = [1, 0], high = [1, 0], interior = [0, 0] : (tensor<8x6xf64>, tensor<f64>) -> tensor<10x6xf64>
  return %2, %3 : tensor<8xf64>, tensor<10x6xf64>
})");
  auto isPair = [](mlir::ModuleOp module) {
    bool found = false;
    module->walk([&](stablehlo::AddOp add) {
      found |= add.getLhs().getDefiningOp<stablehlo::TransposeOp>() != nullptr;
    });
    return found && has<stablehlo::ReduceOp>(module);
  };
  EXPECT_LE(reduced(program, isPair).size(), 600u);
  EXPECT_EQ(reduced(program, isPair), reduced(program, isPair));
}

// Sizes that depend on each other shrink together. If the condition needs size 5, a dot keeps a
// dimension of this size.
TEST(ReducerTest, DimensionsShrinkTogether) {
  TestProgram program(R"(
func.func @main(%x: tensor<12x40xf32>, %y: tensor<40x7xf32>) -> tensor<84xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<12x40xf32>, tensor<40x7xf32>) -> tensor<12x7xf32>
  %1 = stablehlo.reshape %0 : (tensor<12x7xf32>) -> tensor<84xf32>
  return %1 : tensor<84xf32>
})");
  auto isLarge = [](mlir::ModuleOp module) {
    bool found = false;
    module->walk([&](stablehlo::DotGeneralOp dot) {
      found = shapeOf(dot.getLhs())[1] >= 5 && dot.getResult().hasOneUse() &&
              mlir::isa<stablehlo::ReshapeOp>(*dot->user_begin());
    });
    return found;
  };
  std::string text = reduced(program, isLarge);
  EXPECT_NE(text.find("(tensor<1x5xf32>, tensor<5x1xf32>) -> tensor<1x1xf32>"), std::string::npos)
      << text;
  EXPECT_NE(text.find("(tensor<1x1xf32>) -> tensor<1xf32>"), std::string::npos) << text;
}

// Source locations stay if the fault depends on them.
TEST(ReducerTest, LocationsThatMatterStay) {
  TestProgram program(R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.tanh %x : tensor<2xf32> loc("here")
  %1 = stablehlo.sine %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
})");
  auto isNamed = [](mlir::ModuleOp module) {
    bool found = false;
    module->walk([&](mlir::Operation *op) {
      auto name = mlir::dyn_cast<mlir::NameLoc>(op->getLoc());
      found |= name && name.getName() == "here";
    });
    return found;
  };
  ReduceReport report;
  reduced(program, isNamed, {}, &report);
  EXPECT_EQ(report.operationsAfter, 1);
}

TEST(ReducerTest, ProgramWithoutTheFault) {
  TestProgram program(mixed);
  Result<mlir::OwningOpRef<mlir::ModuleOp>> made =
      reduceProgram(*program.module, {}, [](mlir::ModuleOp) { return false; });
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, errors::FaultNotShown);
}

// A limit of tries or an interruption ends a reduction, but doesn't lose the smallest program found
// so far.
TEST(ReducerTest, EndsEarly) {
  TestProgram program(mixed);
  auto isInteresting = [](mlir::ModuleOp module) { return has<stablehlo::CosineOp>(module); };
  ReduceReport report;
  ReduceOptions few;
  few.maxTries = 4;
  reduced(program, isInteresting, few, &report);
  EXPECT_EQ(report.end, ReduceReport::End::MaxTries);
  EXPECT_EQ(report.tries, 4);
  EXPECT_LT(report.operationsAfter, report.operationsBefore);
  int asked = 0;
  ReduceOptions options;
  options.isStopped = [&] { return ++asked > 3; };
  reduced(program, isInteresting, options, &report);
  EXPECT_EQ(report.end, ReduceReport::End::Stopped);
  EXPECT_LE(report.operationsAfter, report.operationsBefore);
}

//===-- built-in conditions -------------------------------------------------------------------===//

namespace {
// Planted compiler faults, for programs with a hyperbolic tangent.
enum class Planted { WrongNumbers, Error, Crash, Hang };
struct PlantedPass : mlir::PassWrapper<PlantedPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlantedPass)
  explicit PlantedPass(Planted planted) : planted(planted) {}
  llvm::StringRef getArgument() const override { return "planted"; }
  void runOnOperation() override {
    getOperation().walk([&](stablehlo::TanhOp tanh) {
      switch (planted) {
      case Planted::WrongNumbers: {
        mlir::OpBuilder builder(tanh);
        auto other = stablehlo::CosineOp::create(builder, tanh.getLoc(), tanh->getResultTypes(),
                                                 tanh->getOperands());
        tanh->replaceAllUsesWith(other);
        return tanh->erase();
      }
      case Planted::Error:
        tanh.emitError("operand #3 is odd");
        return signalPassFailure();
      case Planted::Crash:
        std::raise(SIGSEGV);
        return;
      case Planted::Hang:
        while (true) {
        }
      }
    });
  }
  Planted planted;
};
} // namespace

static FaultOptions faultOptions(Planted planted) {
  FaultOptions options;
  options.compilation.useCache = false;
  options.compilation.addedPasses.emplace_back(
      "simplify", [=] { return std::make_unique<PlantedPass>(planted); });
  options.makeArguments = [](const std::vector<ValueDescription> &arguments,
                             const std::vector<std::optional<unsigned>> &) {
    std::vector<Tensor> tensors;
    for (const ValueDescription &argument : arguments) {
      tensors.emplace_back(argument.type, argument.shape);
    }
    return Result<std::vector<Tensor>>(std::move(tensors));
  };
  // Some candidates never end, for example loops whose counter became an argument.
  options.seconds = planted == Planted::Hang ? 0.5 : 2;
  return options;
}

static constexpr const char *small = R"(
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1 = stablehlo.sine %x : tensor<4xf32>
  %2 = stablehlo.negate %0 : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
})";

TEST(ConditionsTest, FaultsAreTold) {
  using Kind = ProgramFault::Kind;
  const std::tuple<Planted, FaultSearch, ProgramFault> cases[] = {
      {Planted::WrongNumbers, FaultSearch::Compile, {Kind::None, ""}},
      {Planted::WrongNumbers, FaultSearch::Check, {Kind::Differs, "D7012 after phase simplify"}},
      {Planted::Error, FaultSearch::Compile, {Kind::Fails, "phase `simplify`: operand #N is odd"}},
      {Planted::Crash, FaultSearch::Compile, {Kind::Crashes, "SIGSEGV"}},
      {Planted::Hang, FaultSearch::Compile, {Kind::TimesOut, ""}},
  };
  for (const auto &[planted, search, expected] : cases) {
    TestProgram program(small);
    ProgramFault fault = findFault(*program.module, search, faultOptions(planted));
    EXPECT_EQ(fault, expected) << fault.str();
  }
}

// In a candidate, the arguments of the original program keep their numbers, so that they get the
// user's inputs. A new argument has no number.
TEST(ConditionsTest, ArgumentsAreNumbered) {
  TestProgram program("func.func @main(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<4xf32> {\n"
                      "return %x : tensor<4xf32>\n}");
  numberArguments(*program.module);
  std::vector<std::optional<unsigned>> numbers = takeArgumentNumbers(*program.module);
  EXPECT_EQ(numbers, (std::vector<std::optional<unsigned>>{0, 1}));
  EXPECT_EQ(takeArgumentNumbers(*program.module),
            (std::vector<std::optional<unsigned>>{std::nullopt, std::nullopt}));
}

// Only the operation that causes the fault remains, even if the fault crashes the process or makes
// it hang.
TEST(ConditionsTest, PlantedFaultsAreKept) {
  for (Planted planted : {Planted::WrongNumbers, Planted::Error, Planted::Crash}) {
    TestProgram program(mixed);
    FaultSearch search =
        planted == Planted::WrongNumbers ? FaultSearch::Check : FaultSearch::Compile;
    FaultOptions options = faultOptions(planted);
    ProgramFault fault = findFault(
        *mlir::OwningOpRef<mlir::ModuleOp>(mlir::cast<mlir::ModuleOp>(program.module->clone())),
        search, options);
    ASSERT_NE(fault.kind, ProgramFault::Kind::None);
    ReduceReport report;
    std::string text = reduced(
        program,
        [&](mlir::ModuleOp candidate) { return findFault(candidate, search, options) == fault; },
        {}, &report);
    EXPECT_EQ(report.operationsAfter, 1) << text;
    EXPECT_NE(text.find("stablehlo.tanh"), std::string::npos) << text;
  }
}

TEST(ConditionsTest, CommandsEndInTime) {
  TestProgram program(small);
  auto run = [&](const char *command) {
    Result<bool> ended = runCommand(*program.module, command, 0.5, {});
    return ended && *ended;
  };
  EXPECT_TRUE(run("grep -q tanh"));
  EXPECT_TRUE(run("test -s {} && grep -q sine {}"));
  EXPECT_FALSE(run("grep -q cosine"));
  EXPECT_FALSE(run("sleep 60; true"));
}

} // namespace drumlin

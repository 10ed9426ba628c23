// Tests a training step in fp8 with delayed scaling (training_step.py): its results over several
// steps, and that each scaled dot is one kernel, which reads narrow operands and computes the next
// step's scale.
#include "../TestProgram.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/NumericCompare.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

namespace drumlin {

// Arguments: x, target, w1, b1, w2, b2, six histories, rate. Results: loss, dx, then the next w1 …
// b2 and histories.
static constexpr size_t weights = 2, histories = 6, historyCount = 6, rate = 12;
static constexpr size_t nextWeights = 2, nextHistories = 6;

static std::string programText() {
  std::ifstream file(DRUMLIN_TRAINING_STEP);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

static mlir::func::FuncOp mainOf(mlir::ModuleOp module) {
  return module.lookupSymbol<mlir::func::FuncOp>("main");
}

static float *numbersOf(Tensor &tensor) { return reinterpret_cast<float *>(tensor.data()); }

static std::vector<Tensor> firstArguments(mlir::func::FuncOp main) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 0.5);
  std::vector<Tensor> arguments;
  for (mlir::Type type : main.getArgumentTypes()) {
    Tensor tensor(ElementType::F32, Shape(mlir::cast<mlir::RankedTensorType>(type).getShape()));
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      numbersOf(tensor)[i] = static_cast<float>(normal(random));
    }
    arguments.push_back(std::move(tensor));
  }
  // The history of one tensor is empty, as if the tensor hadn't been quantized before.
  for (size_t i = 0; i < historyCount; ++i) {
    for (int64_t step = 0; step < 4; ++step) {
      numbersOf(arguments[histories + i])[step] =
          i == 2 ? 0.0F : 0.25F * static_cast<float>(step + 1);
    }
  }
  numbersOf(arguments[rate])[0] = 0.125F;
  return arguments;
}

struct CompiledStep {
  TestProgram program{programText()};
  std::optional<Compilation> compilation;
  std::unique_ptr<Executable> executable;
};

static std::unique_ptr<CompiledStep> compileStep() {
  auto step = std::make_unique<CompiledStep>();
  CompileOptions options;
  options.useCache = false;
  // Each of the six dots reads narrow operands and scales them itself.
  options.requirements = {"dot: fused(convert_lhs, scale_lhs, convert_rhs, scale_rhs) no_upcast"};
  Result<Compilation> compilation = compile(*step->program.module, "training_step", options);
  if (!compilation) {
    ADD_FAILURE() << compilation.error().str();
    return nullptr;
  }
  step->compilation = std::move(*compilation);
  LoadOptions load;
  load.threads = 1;
  auto executable = step->compilation->load("training_step", load);
  if (!executable) {
    ADD_FAILURE() << executable.error().str();
    return nullptr;
  }
  step->executable = std::move(*executable);
  return step;
}

// Runs seven steps, each on the compiled results of the previous step, so that histories of four
// entries are fully replaced.
TEST(TrainingStepTest, GivesTheInterpretersNumbers) {
  TestProgram program(programText());
  ASSERT_TRUE(program.module);
  std::vector<Tensor> arguments = firstArguments(mainOf(*program.module));
  std::unique_ptr<CompiledStep> step = compileStep();
  ASSERT_TRUE(step);
  double firstLoss = 0, loss = 0;
  for (int number = 0; number < 7; ++number) {
    SCOPED_TRACE(number);
    Result<std::vector<Tensor>> expected = interpret(*program.module, arguments);
    ASSERT_TRUE(expected) << expected.error().str();
    Result<std::vector<Tensor>> got = call(*step->executable, arguments);
    ASSERT_TRUE(got) << got.error().str();
    ASSERT_EQ(got->size(), expected->size());
    for (size_t i = 0; i < expected->size(); ++i) {
      // A sum that is halfway between two fp8 numbers may round to either of them.
      CompareOptions compared;
      compared.relativeTolerance = 1e-2;
      Result<Comparison> comparison = compare((*got)[i], (*expected)[i], compared);
      ASSERT_TRUE(comparison) << comparison.error().str();
      EXPECT_TRUE(comparison->matches) << "result " << i << ": " << comparison->str();
    }
    for (size_t i = 0; i < historyCount; ++i) {
      const float *before = numbersOf(arguments[histories + i]);
      const float *after = numbersOf((*got)[nextHistories + i]);
      EXPECT_GT(after[0], 0);
      EXPECT_TRUE(std::equal(before, before + 3, after + 1)) << "history " << i;
    }
    loss = numbersOf((*got)[0])[0];
    firstLoss = number == 0 ? loss : firstLoss;
    for (size_t i = 0; i < 4; ++i) {
      arguments[weights + i] = (*got)[nextWeights + i];
    }
    for (size_t i = 0; i < historyCount; ++i) {
      arguments[histories + i] = (*got)[nextHistories + i];
    }
  }
  EXPECT_LT(loss, firstLoss) << "the steps don't learn";
}

static bool isNarrow(mlir::Type type) {
  return info(elementTypeOf(mlir::getElementTypeOrSelf(type))).bits <= 8;
}

static bool hasMaximum(plan::KernelOp kernel) {
  bool found = false;
  kernel.walk([&](stablehlo::ReduceOp reduce) {
    found |= knownReducer(reduce.getBody()) == Reducer::Maximum;
  });
  return found;
}

TEST(TrainingStepTest, EachScaledProductIsOneKernel) {
  std::unique_ptr<CompiledStep> step = compileStep();
  ASSERT_TRUE(step);
  mlir::ModuleOp module = *step->program.module;
  size_t products = 0, quantizing = 0;
  module.walk([&](plan::LaunchOp launch) {
    auto kernel = module.lookupSymbol<plan::KernelOp>(launch.getKernel());
    // No kernel stores dequantized values, not even in bf16.
    for (mlir::Type type : launch->getResultTypes()) {
      auto tensor = mlir::cast<mlir::RankedTensorType>(type);
      EXPECT_FALSE(tensor.getElementType().isBF16() && tensor.getNumElements() > 1)
          << launch.getKernel().str() << " writes what a product could dequantize";
    }
    if (kernel.getKind() != plan::KernelKind::gemm) {
      return;
    }
    ++products;
    // x and the weights are stored quantized. h, dy and dz are quantized by the dots that compute
    // them; these dots also find their amax.
    if (llvm::any_of(launch->getResultTypes(), isNarrow)) {
      ++quantizing;
      EXPECT_TRUE(hasMaximum(kernel)) << launch.getKernel().str();
    }
    EXPECT_EQ(llvm::count_if(launch.getInputs().getTypes(), isNarrow), 2)
        << launch.getKernel().str() << " reads other operands";
  });
  EXPECT_EQ(products, 6u);
  EXPECT_EQ(quantizing, 3u);
}

} // namespace drumlin

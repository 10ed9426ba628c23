// Tests that every spelling (Spelling.h) of a scaled matrix product becomes one kernel, whose
// results equal the interpreter's.
#include "../TestProgram.h"
#include "Rewrites.h"
#include "Spelling.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/NumericCompare.h"
#include "drumlin/transforms/Reasons.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>
#include <random>

namespace drumlin {

// Returns a tensor of numbers near one, so that no sum overflows f16.
static Tensor randomTensor(ElementType type, const Shape &shape, std::mt19937_64 &random) {
  Tensor tensor(type, shape);
  std::uniform_real_distribution<double> size(0.25, 1.0);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    double value = size(random) * (random() % 2 == 0 ? 1 : -1);
    value = type == ElementType::F8E8M0FNU ? std::abs(value) : value;
    encodeRun(type, &value, tensor.data() + i * storageBytes(type), 1);
  }
  return tensor;
}

static std::vector<Tensor> randomArguments(mlir::func::FuncOp main, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Tensor> arguments;
  for (mlir::Type type : main.getArgumentTypes()) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    arguments.push_back(
        randomTensor(elementTypeOf(tensor.getElementType()), Shape(tensor.getShape()), random));
  }
  return arguments;
}

static mlir::func::FuncOp mainOf(mlir::ModuleOp module) {
  return module.lookupSymbol<mlir::func::FuncOp>("main");
}

// Returns whether the dequantized operand is also a result and takes two divisions to compute.
static bool mayReadOperand(const Spelling &spelling) {
  return spelling.as<Extra>(Factor::Extra) == Extra::Dequantized &&
         spelling.as<ScaleKind>(Factor::LhsScale) == ScaleKind::Nvfp4 &&
         spelling.level(Factor::ScaleOperation) == 1;
}

// Expects that one launch computes the dot, everything that the dot needs and everything that
// depends on the dot, from the program's arguments to its results. If the dequantized operand is
// also a result, another kernel writes it, since the dot's kernel reads the operand once per block
// of columns, and would write it equally often. If dequantizing takes two divisions, the dot's
// kernel may read the stored operand instead of recomputing it; the ledger then says so.
static void expectOneKernel(mlir::ModuleOp module, const Ledger &ledger, const Spelling &spelling) {
  bool writesOperand = spelling.as<Extra>(Factor::Extra) == Extra::Dequantized;
  bool isDeclined = llvm::any_of(ledger.entries(), [](const LedgerEntry &entry) {
    return entry.rule == "gemm-absorb-producer" && entry.reason == Reason::OtherUsers;
  });
  bool readsOperand = isDeclined && mayReadOperand(spelling);
  size_t dots = 0, others = 0;
  module.walk([&](plan::LaunchOp launch) {
    auto kernel = module.lookupSymbol<plan::KernelOp>(launch.getKernel());
    if (kernel.getKind() != plan::KernelKind::gemm) {
      ++others;
      return;
    }
    ++dots;
    for (mlir::Value operand : launch.getInputs()) {
      EXPECT_TRUE(readsOperand || mlir::isa<mlir::BlockArgument>(operand))
          << "the dot needs another kernel";
    }
  });
  EXPECT_EQ(dots, 1u);
  if (!writesOperand) {
    EXPECT_EQ(others, 0u);
  }
  auto arena = mainOf(module)->getAttrOfType<mlir::IntegerAttr>("plan.arena_bytes");
  ASSERT_TRUE(arena);
  // The left operand is the first argument and the smaller one.
  auto lhs = mlir::cast<mlir::RankedTensorType>(mainOf(module).getArgumentTypes().front());
  EXPECT_TRUE(writesOperand || arena.getInt() == 0 || arena.getInt() < lhs.getNumElements())
      << "a temporary has the size of an operand";
}

static std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

// Returns the fused parts that the dot's kernel must have for this spelling.
static std::string requirementOf(const Spelling &spelling) {
  std::vector<std::string> parts;
  auto add = [&](bool isThere, const char *part) {
    if (isThere) {
      parts.emplace_back(part);
    }
  };
  add(spelling.as<ScaleKind>(Factor::LhsScale) != ScaleKind::None && !mayReadOperand(spelling),
      "scale_lhs");
  add(spelling.as<ScaleKind>(Factor::RhsScale) != ScaleKind::None, "scale_rhs");
  add(spelling.level(Factor::Bias) == 1, "bias");
  add(spelling.level(Factor::Bias) == 2, "residual");
  add(spelling.level(Factor::Residual) == 1, "residual");
  static const char *const activations[] = {"",     "relu",      "gelu",      "gelu",
                                            "silu", "relu_grad", "gelu_grad", "silu_grad"};
  add(spelling.level(Factor::Activation) > 0, activations[spelling.level(Factor::Activation)]);
  add(spelling.as<OutputScale>(Factor::OutputScale) != OutputScale::None, "scale");
  add(spelling.as<Clamp>(Factor::Clamp) != Clamp::None, "clamp");
  add(spelling.as<Largest>(Factor::Largest) != Largest::None, "amax");
  return parts.empty() ? "dot: kernel(gemm)" : "dot: fused(" + llvm::join(parts, ", ") + ")";
}

// Compiles and runs a rewritten form of `spelling`, and compares its results with the known ones.
static void checkProgram(TestProgram &program, const Spelling &spelling, bool asWritten,
                         std::span<const Tensor> arguments, std::span<const Tensor> expected) {
  SCOPED_TRACE(spelling.name());
  SCOPED_TRACE(textOf(*program.module));
  CompileOptions options;
  options.useCache = false;
  // Only a spelling as written has requirements, since rewrites may swap the dot's operands and
  // decompose its activation. Rewritten forms aren't compiled with full optimization, since they
  // become the same kernels.
  if (asWritten) {
    options.requirements = {requirementOf(spelling)};
  } else {
    options.level = 1;
  }
  Result<Compilation> compilation = compile(*program.module, "spelling", options);
  ASSERT_TRUE(compilation) << compilation.error().str();
  expectOneKernel(*program.module, compilation->phases.ledger, spelling);
  LoadOptions load;
  load.threads = 1;
  auto executable = compilation->load("spelling", load);
  ASSERT_TRUE(executable) << executable.error().str();
  Result<std::vector<Tensor>> got = call(**executable, arguments);
  ASSERT_TRUE(got) << got.error().str();
  for (size_t i = 0; i < expected.size(); ++i) {
    CompareOptions compared;
    bool isWide = expected[i].type() == ElementType::F32 && spelling.level(Factor::Wide) == 2;
    compared.relativeTolerance = isWide ? 2e-5 : 2e-2;
    compared.equalShare = 0.99;
    Result<Comparison> comparison = compare((*got)[i], expected[i], compared);
    ASSERT_TRUE(comparison) << comparison.error().str();
    EXPECT_TRUE(comparison->matches) << "result " << i << ": " << comparison->str();
  }
}

// Checks the spelling as written, or `rewrites` forms of it, each after a random series of
// rewrites.
static void check(const Spelling &spelling, uint64_t seed, int rewrites) {
  std::string text = programOf(spelling);
  TestProgram program(text);
  ASSERT_TRUE(program.module) << text;
  std::vector<Tensor> arguments = randomArguments(mainOf(*program.module), seed);
  Result<std::vector<Tensor>> expected = interpret(*program.module, arguments);
  ASSERT_TRUE(expected) << expected.error().str();
  if (rewrites == 0) {
    checkProgram(program, spelling, /*asWritten=*/true, arguments, *expected);
  }
  std::mt19937_64 random(seed);
  for (int i = 0; i < rewrites; ++i) {
    TestProgram respelled(text);
    respell(*respelled.module, 2 + i, random);
    ASSERT_TRUE(mlir::succeeded(mlir::verify(*respelled.module))) << textOf(*respelled.module);
    checkProgram(respelled, spelling, /*asWritten=*/false, arguments, *expected);
  }
}

static void checkAll(const std::vector<Spelling> &spellings, size_t first, size_t last,
                     int rewrites) {
  for (size_t i = first; i < std::min(last, spellings.size()); ++i) {
    check(spellings[i], i, rewrites);
    // Stops after a few failures.
    const testing::TestInfo *test = testing::UnitTest::GetInstance()->current_test_info();
    if (test->result()->total_part_count() >= 5) {
      return;
    }
  }
}

TEST(ScaledDotTest, SomeSpellings) { checkAll(coveringSpellings(400, 1), 0, 24, 0); }

TEST(SlowScaledDotTest, AllPairsOfLevels) {
  std::vector<Spelling> spellings = coveringSpellings(400, 1);
  EXPECT_GE(spellings.size(), 400u);
  checkAll(spellings, 24, spellings.size(), 0);
}

// One series for each of 400 spellings.
TEST(SlowScaledDotTest, RandomRewrites) { checkAll(coveringSpellings(400, 2), 0, 400, 1); }

} // namespace drumlin

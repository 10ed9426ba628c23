// Tests layouts. Callers get the layouts that they request, whatever the program does in between.
// Static operands are transposed only once, so a dot of a transposed operand becomes the same
// kernel as a dot of the operand itself. Forced kernels determine layouts from the start.
#include "CompileAndRun.h"
#include "ReportedAttention.h"
#include "ReshapeTraversal.h"

#include "drumlin/interpreter/PlanOperations.h"
#include "drumlin/ir/plan/CopyOp.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/support/diagnostics/CallErrors.h"
#include "drumlin/support/diagnostics/RequirementErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "drumlin/target/KernelLayouts.h"
#include "drumlin/target/TargetNames.h"
#include "drumlin/transforms/Contracts.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/libraries/LibraryPlan.h"

namespace drumlin {

// Interprets a program in the form in which a phase left it.
static Result<std::vector<Tensor>> interpretPlan(mlir::ModuleOp module,
                                                 std::span<const Tensor> arguments) {
  InterpreterOptions options;
  options.table = &planOperations();
  return interpret(module, arguments, options);
}

//===- random programs ------------------------------------------------------------------===//

// Returns a layout mode that a caller may request; empty: none.
static std::string randomMode(std::mt19937_64 &random, size_t rank) {
  switch (random() % 5) {
  case 0:
    return "";
  case 1:
    return "auto";
  case 2:
    return "default";
  default:
    DimensionOrder order = rowMajorOrder(rank);
    std::shuffle(order.begin(), order.end(), random);
    return layoutText(order);
  }
}

static void askForLayouts(mlir::ModuleOp module, uint64_t seed) {
  std::mt19937_64 random(seed);
  mlir::func::FuncOp main = entryFunction(module);
  mlir::Builder builder(module.getContext());
  auto rankOf = [](mlir::Type type) {
    return static_cast<size_t>(mlir::cast<mlir::RankedTensorType>(type).getRank());
  };
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    std::string mode = randomMode(random, rankOf(main.getArgumentTypes()[i]));
    if (!mode.empty()) {
      main.setArgAttr(i, layoutModeAttribute, builder.getStringAttr(mode));
    } else if (random() % 2) {
      main.setArgAttr(i, staticAttribute, builder.getUnitAttr());
    }
  }
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    std::string mode = randomMode(random, rankOf(main.getResultTypes()[i]));
    if (!mode.empty()) {
      main.setResultAttr(i, layoutModeAttribute, builder.getStringAttr(mode));
    }
  }
}

static void walkWithLayouts(uint64_t first, uint64_t last) {
  size_t layouts = 0;
  for (uint64_t seed = first; seed < last; ++seed) {
    TestProgram program(ReshapeTraversal(seed).program(9));
    ASSERT_TRUE(program.module);
    askForLayouts(*program.module, seed);
    std::string text;
    llvm::raw_string_ostream(text) << *program.module;
    SCOPED_TRACE(text);
    std::vector<Tensor> arguments = randomArguments(*program.module, seed);
    Result<std::vector<Tensor>> expected = interpret(*program.module, arguments);
    ASSERT_TRUE(expected) << expected.error().str();
    for (const char *target : {"sm_90", "gfx950"}) {
      SCOPED_TRACE(target);
      TestProgram planned(text);
      CompileOptions options;
      options.target = *targetFromName(target);
      Status status = planned.run(options);
      ASSERT_TRUE(status) << status.error().str();
      Result<std::vector<Tensor>> got = interpretPlan(*planned.module, arguments);
      ASSERT_TRUE(got) << got.error().str();
      expectClose(*got, *expected, 2e-5);
    }
    std::vector<Tensor> got = compileAndRun(*program.module, {}, arguments);
    expectClose(got, *expected, 2e-5);
    // Interpreting the placed program gives the same results.
    Result<std::vector<Tensor>> placed = interpretPlan(*program.module, arguments);
    ASSERT_TRUE(placed) << placed.error().str();
    expectClose(*placed, *expected, 2e-5);
    EXPECT_FALSE(findContract("caller-layouts")->check(*program.module));
    EXPECT_FALSE(findContract("row-major")->check(*program.module));
    EXPECT_FALSE(findContract("reshapes-are-bitcasts")->check(*program.module));
    mlir::func::FuncOp main = entryFunction(*program.module);
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      layouts += argumentLayout(main, i) ? 1 : 0;
    }
    if (testing::Test::HasFailure()) {
      return;
    }
  }
  EXPECT_GT(layouts, (last - first) / 2) << "hardly any argument has a layout";
}

TEST(LayoutsTest, SomeRandomProgramsWithLayouts) { walkWithLayouts(0, 30); }
TEST(SlowLayoutsTest, ManyRandomProgramsWithLayouts) { walkWithLayouts(1000, 1400); }

// Programs with each kind of kernel and control flow. The test requests random layouts of their
// arguments and results.
static constexpr const char *programsOfEachKind[] = {
    // A loop with swapped carried values and a captured value.
    R"(
func.func @main(%x: tensor<6x10xf32>, %y: tensor<6x10xf32>, %c: tensor<10x10xf32>) -> (tensor<6x10xf32>, tensor<6x10xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %v = %x, %w = %y) : tensor<i32>, tensor<6x10xf32>, tensor<6x10xf32>
  cond {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.dot_general %v, %c, contracting_dims = [1] x [0] : (tensor<6x10xf32>, tensor<10x10xf32>) -> tensor<6x10xf32>
    %3 = stablehlo.tanh %2 : tensor<6x10xf32>
    stablehlo.return %1, %w, %3 : tensor<i32>, tensor<6x10xf32>, tensor<6x10xf32>
  }
  return %0#1, %0#2 : tensor<6x10xf32>, tensor<6x10xf32>
})",
    // Branches that return arguments and computed values.
    R"(
func.func @main(%x: tensor<6x10xf32>, %y: tensor<10x6xf32>) -> (tensor<10x6xf32>, tensor<6x10xf32>) {
  %0 = stablehlo.slice %x [0:1, 0:1] : (tensor<6x10xf32>) -> tensor<1x1xf32>
  %1 = stablehlo.reshape %0 : (tensor<1x1xf32>) -> tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.compare LT, %1, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %2:2 = "stablehlo.if"(%p) ({
    stablehlo.return %y, %x : tensor<10x6xf32>, tensor<6x10xf32>
  }, {
    %3 = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x10xf32>) -> tensor<10x6xf32>
    %4 = stablehlo.transpose %y, dims = [1, 0] : (tensor<10x6xf32>) -> tensor<6x10xf32>
    stablehlo.return %3, %4 : tensor<10x6xf32>, tensor<6x10xf32>
  }) : (tensor<i1>) -> (tensor<10x6xf32>, tensor<6x10xf32>)
  %5:2 = stablehlo.optimization_barrier %2#0, %2#1 : tensor<10x6xf32>, tensor<6x10xf32>
  %6 = stablehlo.negate %5#0 : tensor<10x6xf32>
  return %6, %5#1 : tensor<10x6xf32>, tensor<6x10xf32>
})",
    // Operations that address elements by index: a sort, an updated slice, gathered rows.
    R"(
func.func @main(%x: tensor<6x10xf32>, %u: tensor<2x3xf32>, %t: tensor<9x10xf32>) -> (tensor<6x10xf32>, tensor<6x10xf32>, tensor<4x10xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<6x10xf32>) -> tensor<6x10xf32>
  %i = stablehlo.constant dense<2> : tensor<i32>
  %2 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<6x10xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<6x10xf32>
  %rows = stablehlo.constant dense<[[3], [0], [8], [3]]> : tensor<4x1xi32>
  %3 = "stablehlo.gather"(%t, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 10>}> : (tensor<9x10xf32>, tensor<4x1xi32>) -> tensor<4x10xf32>
  return %0, %2, %3 : tensor<6x10xf32>, tensor<6x10xf32>, tensor<4x10xf32>
})",
    // A convolution, reductions along both dimensions, a softmax.
    R"(
func.func @main(%x: tensor<1x6x7x3xf32>, %k: tensor<3x3x3x4xf32>, %s: tensor<20x30xf32>) -> (tensor<1x4x5x4xf32>, tensor<20xf32>, tensor<20x30xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x7x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x5x4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.exponential %s : tensor<20x30xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<20x30xf32>, tensor<f32>) -> tensor<20xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<20xf32>) -> tensor<20x30xf32>
  %4 = stablehlo.divide %1, %3 : tensor<20x30xf32>
  return %0, %2, %4 : tensor<1x4x5x4xf32>, tensor<20xf32>, tensor<20x30xf32>
})"};

TEST(LayoutsTest, EachKindOfKernelAndControlFlow) {
  for (const char *text : programsOfEachKind) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      TestProgram program(text);
      ASSERT_TRUE(program.module) << text;
      askForLayouts(*program.module, seed);
      std::string asked;
      llvm::raw_string_ostream(asked) << *program.module;
      SCOPED_TRACE(asked);
      std::vector<Tensor> arguments = randomArguments(*program.module, seed);
      Result<std::vector<Tensor>> expected = interpret(*program.module, arguments);
      ASSERT_TRUE(expected) << expected.error().str();
      expectClose(compileAndRun(*program.module, {}, arguments), *expected, 2e-5);
      Result<std::vector<Tensor>> placed = interpretPlan(*program.module, arguments);
      ASSERT_TRUE(placed) << placed.error().str();
      expectClose(*placed, *expected, 2e-5);
      if (testing::Test::HasFailure()) {
        return;
      }
    }
  }
}

//===- the reported program -------------------------------------------------------------===//

// Operations that use the reported dot's result, and the types of their results: a conversion, and
// reshapes to results with layout {2,3,1,0}, in which tokens vary fastest.
static const std::pair<const char *, const char *> reportedUses[] = {
    {"  %r = stablehlo.convert %0 : (tensor<2x1x32x128xf16>) -> tensor<2x1x32x128xf32>\n",
     "tensor<2x1x32x128xf32>"},
    {"  %r = stablehlo.reshape %0 : (tensor<2x1x32x128xf16>) -> tensor<2x1x32x128xf16>\n",
     "tensor<2x1x32x128xf16> {mhlo.layout_mode = \"{2,3,1,0}\"}"},
    {"  %r = stablehlo.reshape %0 : (tensor<2x1x32x128xf16>) -> tensor<1x2x32x128xf16>\n",
     "tensor<1x2x32x128xf16> {mhlo.layout_mode = \"{2,3,1,0}\"}"},
    // No order of the dot's result makes this reshape a bitcast.
    {"  %r = stablehlo.reshape %0 : (tensor<2x1x32x128xf16>) -> tensor<4x16x16x8xf16>\n",
     "tensor<4x16x16x8xf16> {mhlo.layout_mode = \"{2,3,1,0}\"}"},
};

static std::string usedProgram(const char *use, llvm::StringRef result) {
  llvm::StringRef type = result.split(' ').first;
  std::string text = reportedProgram(use, type.str().c_str());
  text.replace(text.find("-> " + type.str() + " {"), type.size() + 5,
               "-> (" + result.str() + ") {");
  return text;
}

static std::vector<LedgerEntry> entriesOf(const Ledger &ledger, std::string_view rule,
                                          Reason reason) {
  std::vector<LedgerEntry> found;
  llvm::copy_if(ledger.entries(), std::back_inserter(found), [&](const LedgerEntry &entry) {
    return entry.rule == rule && entry.reason == reason;
  });
  return found;
}

TEST(LayoutsTest, TheReportedProgramWithEachForcedKernel) {
  size_t computed = 0, called = 0, copied = 0;
  for (const auto &[use, result] : reportedUses) {
    std::string text = usedProgram(use, result);
    SCOPED_TRACE(text);
    TestProgram original(text);
    ASSERT_TRUE(original.module);
    std::vector<Tensor> arguments = randomArguments(*original.module, 5);
    Result<std::vector<Tensor>> expected = interpret(*original.module, arguments);
    ASSERT_TRUE(expected) << expected.error().str();
    for (std::string_view name : {"native", "sm_90", "gfx950"}) {
      TargetPtr target = *targetFromName(name);
      const auto *gpu = llvm::dyn_cast<GpuTarget>(target.get());
      for (const KernelLayouts &kernel : kernelLayouts(*target)) {
        SCOPED_TRACE(std::string(name) + " " + std::string(kernel.name));
        TestProgram program(text);
        CompileOptions options;
        options.target = target;
        if (!kernel.name.empty()) {
          options.forcedKernels = {"dot=" + std::string(kernel.name)};
        }
        bool isConvolutions = kernel.name == "direct" || kernel.name == "batch_interleaved";
        if (!gpu && isConvolutions) {
          options.useCache = false;
          Result<Compilation> refused = compile(*program.module, "reported", options);
          ASSERT_FALSE(refused);
          EXPECT_EQ(refused.error().code, errors::KernelChoiceUnfit);
          continue;
        }
        if (!gpu) {
          expectClose(compileAndRun(*program.module, options, arguments), *expected, 2e-2);
          ++computed;
          continue;
        }
        options.stopAfter = "select";
        Status status = program.run(options);
        ASSERT_TRUE(status) << status.error().str();
        Result<std::vector<Tensor>> got = interpretPlan(*program.module, arguments);
        ASSERT_TRUE(got) << got.error().str();
        expectClose(*got, *expected, 2e-2);
        EXPECT_FALSE(findContract("reshapes-are-bitcasts")->check(*program.module));
        // The ledger states the cost of each copy that a kernel's layouts require.
        for (const char *rule : {"share-layout", "reshape-bitcast"}) {
          for (Reason reason : {Reason::LayoutImposed, Reason::OrderDiffers}) {
            for (const LedgerEntry &entry : entriesOf(program.result.ledger, rule, reason)) {
              ASSERT_TRUE(entry.tradeoff);
              EXPECT_GT(entry.tradeoff->bytesApart, 0);
              ++copied;
            }
          }
        }
        // The right operand's contracting dimensions aren't adjacent: the library gets a copy, and
        // the dot becomes a single call.
        std::vector<LibraryKernel> kernels = libraryKernels(*program.module, *gpu);
        ASSERT_EQ(kernels.size(), 1u);
        bool isLibrary = kernel.name != "own";
        EXPECT_EQ(kernels[0].call.has_value(), isLibrary) << kernels[0].own.detail;
        called += kernels[0].call ? 1 : 0;
        bool isCopied = llvm::any_of(
            entriesOf(program.result.ledger, "share-layout", Reason::LayoutImposed),
            [](const LedgerEntry &entry) { return entry.operation == "argument `1`"; });
        EXPECT_EQ(isCopied, isLibrary);
      }
    }
  }
  EXPECT_GE(computed, 12u);
  EXPECT_GE(called, 6u);
  EXPECT_GE(copied, 8u);
}

//===- static operands ------------------------------------------------------------------===//

static constexpr const char *canonical = R"(
func.func @main(%x: tensor<TxKxTYPE>, %w: tensor<KxNxTYPE> ATTRIBUTE) -> tensor<TxNxTYPE> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<TxKxTYPE>, tensor<KxNxTYPE>) -> tensor<TxNxTYPE>
  return %0 : tensor<TxNxTYPE>
})";
static constexpr const char *checkpoint = R"(
func.func @main(%x: tensor<TxKxTYPE>, %w: tensor<NxKxTYPE> ATTRIBUTE) -> tensor<TxNxTYPE> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<TxKxTYPE>, tensor<NxKxTYPE>) -> tensor<TxNxTYPE>
  return %0 : tensor<TxNxTYPE>
})";

static std::string filled(std::string text, int64_t t, int64_t k, int64_t n, const char *type,
                          const char *attribute) {
  auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at; (at = text.find(from)) != std::string::npos;) {
      text.replace(at, from.size(), to);
    }
  };
  replace("ATTRIBUTE", attribute);
  replace("TYPE", type);
  replace("<T", "<" + std::to_string(t));
  for (const char *before : {"<", "x"}) {
    replace(before + std::string("Kx"), before + std::to_string(k) + "x");
    replace(before + std::string("Nx"), before + std::to_string(n) + "x");
  }
  return text;
}

struct SpelledDot {
  std::string key;
  int64_t transposedBytes = 0;
};

static SpelledDot spelled(const std::string &text) {
  TestProgram program(text);
  EXPECT_TRUE(program.module) << text;
  std::vector<Tensor> arguments = randomArguments(*program.module, 7);
  Result<std::vector<Tensor>> expected = interpret(*program.module, arguments);
  EXPECT_TRUE(expected);
  std::vector<Tensor> got = compileAndRun(*program.module, {}, arguments);
  expectClose(got, *expected, 2e-2);
  SpelledDot made;
  size_t kernels = 0;
  program.module->walk([&](plan::KernelOp kernel) {
    EXPECT_EQ(kernel.getKind(), plan::KernelKind::gemm);
    made.key = kernel.getKey().str();
    ++kernels;
  });
  EXPECT_EQ(kernels, 1u) << text;
  made.transposedBytes = planCost(*program.module).total.transposedBytes;
  return made;
}

TEST(LayoutsTest, BothSpellingsOfADotAreOneKernelOnceTheWeightIsStatic) {
  for (const char *type : {"f32", "bf16", "f16", "i32"}) {
    for (int64_t t : {1, 3, 16, 80}) {
      for (auto [k, n] : {std::pair(64, 96), std::pair(320, 48), std::pair(48, 320)}) {
        SCOPED_TRACE(std::string(type) + " " + std::to_string(t) + " " + std::to_string(k) + " " +
                     std::to_string(n));
        SpelledDot a = spelled(filled(canonical, t, k, n, type, "{drumlin.static}"));
        SpelledDot b = spelled(filled(checkpoint, t, k, n, type, "{drumlin.static}"));
        EXPECT_EQ(a.key, b.key);
        EXPECT_EQ(a.transposedBytes, 0);
        EXPECT_EQ(b.transposedBytes, 0);
      }
    }
  }
}

// The runtime reads a static argument once per pointer, and again only if its elements are declared
// changed. Calls may alternate between two pointers.
TEST(LayoutsTest, StaticArgumentsAreLaidOutOnce) {
  TestProgram program(filled(checkpoint, 8, 64, 96, "f32", "{drumlin.static}"));
  ASSERT_TRUE(program.module);
  std::vector<Tensor> arguments = randomArguments(*program.module, 1);
  std::vector<Tensor> others = randomArguments(*program.module, 2);
  Result<std::vector<Tensor>> first = interpret(*program.module, arguments);
  Result<std::vector<Tensor>> second =
      interpret(*program.module, std::vector{arguments[0], others[1]});
  ASSERT_TRUE(first && second);
  CompileOptions options;
  options.useCache = false;
  Result<Compilation> made = compile(*program.module, "static", options);
  ASSERT_TRUE(made) << made.error().str();
  EXPECT_TRUE(made->description.arguments[1].isStatic);
  // The argument is packed in panels of its columns.
  EXPECT_EQ(made->description.arguments[1].layout, (DimensionOrder{0, 2, 1}));
  EXPECT_EQ(made->description.arguments[1].blocks.size(), 2u);
  EXPECT_EQ(made->description.arguments[1].shape, (Shape{96, 64}));
  auto executable = made->load("static");
  ASSERT_TRUE(executable) << executable.error().str();
  Tensor result(ElementType::F32, {8, 96});
  auto runOn = [&](const Tensor &weight) {
    const void *args[] = {arguments[0].data(), weight.data()};
    void *results[] = {result.data()};
    Status status = (*executable)->run({.args = args, .results = results});
    ASSERT_TRUE(status) << status.error().str();
  };
  runOn(arguments[1]);
  expectClose({result}, *first, 2e-5);
  runOn(others[1]);
  expectClose({result}, *second, 2e-5);
  runOn(others[1]);
  expectClose({result}, *second, 2e-5);
  Tensor &changing = arguments[1];
  std::memcpy(changing.data(), others[1].data(), changing.bytes());
  runOn(changing);
  expectClose({result}, *first, 2e-5);
  runOn(others[1]);
  runOn(changing);
  expectClose({result}, *first, 2e-5);
  ASSERT_TRUE((*executable)->argumentChanged(1));
  runOn(changing);
  expectClose({result}, *second, 2e-5);
  EXPECT_EQ((*executable)->argumentChanged(2).error().code, errors::ArgumentMismatch);
}

// Constants are transposed at compile time.
TEST(LayoutsTest, ConstantsAreStatic) {
  std::string numbers;
  for (int i = 0; i < 48 * 80; ++i) {
    numbers += (i == 0        ? "[["
                : i % 80 == 0 ? "], ["
                              : ", ") +
               std::to_string(i * 7919 % 101 - 50) + ".0";
  }
  TestProgram program(R"(
func.func @main(%x: tensor<20x80xf32>) -> tensor<20x48xf32> {
  %w = stablehlo.constant dense<)" +
                      numbers + R"(]]> : tensor<48x80xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<20x80xf32>, tensor<48x80xf32>) -> tensor<20x48xf32>
  return %0 : tensor<20x48xf32>
})");
  ASSERT_TRUE(program.module);
  std::vector<Tensor> arguments = randomArguments(*program.module, 1);
  Result<std::vector<Tensor>> expected = interpret(*program.module, arguments);
  ASSERT_TRUE(expected);
  expectClose(compileAndRun(*program.module, {}, arguments), *expected, 2e-5);
  EXPECT_EQ(planCost(*program.module).total.transposedBytes, 0);
}

// A donated argument and the result in its memory have the same layout.
TEST(LayoutsTest, DonatedArgumentsKeepTheirOrder) {
  auto text = [](const char *from, const char *to) {
    return R"(
func.func @main(%x: tensor<24x40xf32> {tf.aliasing_output = 0 : i32, mhlo.layout_mode = ")" +
           std::string(from) + R"("}) -> (tensor<24x40xf32> {mhlo.layout_mode = ")" + to + R"("}) {
  %0 = stablehlo.add %x, %x : tensor<24x40xf32>
  return %0 : tensor<24x40xf32>
})";
  };
  for (auto [from, to] : {std::pair("{0,1}", "{0,1}"), std::pair("auto", "{0,1}"),
                          std::pair("{1,0}", "auto"), std::pair("auto", "auto")}) {
    SCOPED_TRACE(std::string(from) + " " + to);
    TestProgram program(text(from, to));
    ASSERT_TRUE(program.module);
    std::vector<Tensor> arguments = randomArguments(*program.module, 3);
    Result<std::vector<Tensor>> expected = interpret(*program.module, arguments);
    ASSERT_TRUE(expected);
    expectClose(compileAndRun(*program.module, {}, arguments), *expected, 0);
    size_t launches = 0;
    program.module->walk([&](plan::LaunchOp) { ++launches; });
    EXPECT_EQ(launches, 1u);
    EXPECT_FALSE(program.module->walk([](plan::CopyOp) { return mlir::WalkResult::interrupt(); })
                     .wasInterrupted());
  }
  TestProgram refused(text("{0,1}", "{1,0}"));
  Status status = refused.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errors::UnsupportedAttribute);
}

} // namespace drumlin

// Plants faults in the compiler, and tests that `drumlin check` finds and names each of them, and
// reports nothing for correct programs.
#include "../TestProgram.h"

#include "drumlin/driver/check/Check.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/stablehlo/CosineOp.h"
#include "drumlin/ir/stablehlo/SineOp.h"
#include "drumlin/ir/stablehlo/TanhOp.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/diagnostics/NumberErrors.h"
#include "drumlin/target/TargetNames.h"

#include "mlir/Pass/Pass.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

namespace drumlin {

static Tensor numbers(const ValueDescription &value) {
  Tensor tensor(value.type, value.shape);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    double number = std::sin(static_cast<double>(i * 7 + 3)) * 3;
    std::byte *element = tensor.data() + i * storageBytes(tensor.type());
    if (isFloat(tensor.type())) {
      encodeRun(tensor.type(), &number, element, 1);
    } else {
      *element = static_cast<std::byte>(i % 3);
    }
  }
  return tensor;
}

static std::vector<Tensor> makeNumbers(const std::vector<ValueDescription> &values) {
  std::vector<Tensor> tensors;
  for (const ValueDescription &value : values) {
    tensors.push_back(numbers(value));
  }
  return tensors;
}

// Two kernels, a loop of three iterations, a branch, and an argument that is updated in place.
static constexpr const char *everything = R"(
func.func @main(%x: tensor<32x48xf32>, %w: tensor<48x32xf32>, %c: tensor<64x32xf32> {tf.aliasing_output = 1 : i32}, %p: tensor<i1>) -> (tensor<32x32xf32>, tensor<64x32xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<32x48xf32>, tensor<48x32xf32>) -> tensor<32x32xf32>
  %l:3 = stablehlo.while(%i = %zero, %v = %d, %k = %c) : tensor<i32>, tensor<32x32xf32>, tensor<64x32xf32>
   cond {
    %t = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %n = stablehlo.tanh %v : tensor<32x32xf32>
    %q = stablehlo.dot_general %n, %n, contracting_dims = [1] x [1] : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %u = stablehlo.dynamic_update_slice %k, %q, %i, %zero : (tensor<64x32xf32>, tensor<32x32xf32>, tensor<i32>, tensor<i32>) -> tensor<64x32xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %q, %u : tensor<i32>, tensor<32x32xf32>, tensor<64x32xf32>
  }
  %r = "stablehlo.if"(%p) ({
    %e = stablehlo.exponential %l#1 : tensor<32x32xf32>
    stablehlo.return %e : tensor<32x32xf32>
  }, {
    %e = stablehlo.negate %l#1 : tensor<32x32xf32>
    stablehlo.return %e : tensor<32x32xf32>
  }) : (tensor<i1>) -> tensor<32x32xf32>
  return %r, %l#2 : tensor<32x32xf32>, tensor<64x32xf32>
})";

static CompileOptions plainOptions() {
  CompileOptions options;
  options.useCache = false;
  return options;
}

static Result<CheckReport> checkText(const char *text, const CompileOptions &options,
                                     const CheckOptions &checking = {}) {
  TestProgram program(text);
  return checkProgram(*program.module, "test", options, checking, makeNumbers);
}

TEST(CheckTest, SoundProgramsPass) {
  for (const char *target : {"native", "avx2", "baseline"}) {
    CompileOptions options = plainOptions();
    options.target = *targetFromName(target);
    Result<CheckReport> report = checkText(everything, options);
    ASSERT_TRUE(report) << report.error().str();
    EXPECT_FALSE(report->first);
    EXPECT_EQ(report->memoryFault, "");
    EXPECT_EQ(report->wrongPhase, "");
    EXPECT_TRUE(verdict(*report, "test"));
    // Counts the launches in the loop's iterations.
    int64_t inLoop = 0;
    for (const CheckedKernel &kernel : report->kernels) {
      inLoop += kernel.calls == 3 || kernel.calls == 4;
    }
    EXPECT_GE(inLoop, 2);
    EXPECT_FALSE(report->native.nan || report->native.infinity);
  }
}

// If a native kernel computes something else than the plan, the check names the kernel.
TEST(CheckTest, WrongKernelIsNamed) {
  TestProgram program(everything);
  CompileOptions options = plainOptions();
  options.timeKernels = true;
  Result<Compilation> compiled = compile(*program.module, "test", options);
  ASSERT_TRUE(compiled) << compiled.error().str();
  std::string changed;
  program.module->walk([&](stablehlo::TanhOp tanh) {
    mlir::OpBuilder builder(tanh);
    auto other = stablehlo::SineOp::create(builder, tanh.getLoc(), tanh->getResultTypes(),
                                           tanh->getOperands());
    changed = tanh->getParentOfType<plan::KernelOp>().getSymName();
    tanh->replaceAllUsesWith(other);
    tanh->erase();
  });
  ASSERT_NE(changed, "");
  CheckReport report;
  Status status =
      checkLaunches(*program.module, *compiled, {makeNumbers(compiled->description.arguments), {}},
                    options, {}, report);
  ASSERT_TRUE(status) << status.error().str();
  ASSERT_TRUE(report.first);
  EXPECT_EQ(report.first->place.kernel, changed);
  EXPECT_EQ(report.first->place.call, 0);
  EXPECT_EQ(report.divergentLaunches, 3);
  EXPECT_EQ(report.memoryFault, "");
  Status said = verdict(report, "test");
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, errors::KernelDiverges);
}

namespace {
// Makes the second launch write into the result of the first launch.
struct OverlapPass : mlir::PassWrapper<OverlapPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OverlapPass)
  llvm::StringRef getArgument() const override { return "overlap"; }
  void runOnOperation() override {
    std::vector<plan::LaunchOp> launches;
    getOperation().walk([&](plan::LaunchOp launch) { launches.push_back(launch); });
    launches.at(1)->setAttr("buffers", launches.at(0)->getAttr("buffers"));
  }
};

// Replaces an operation of the program by another one.
struct SwapPass : mlir::PassWrapper<SwapPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SwapPass)
  llvm::StringRef getArgument() const override { return "swap"; }
  void runOnOperation() override {
    getOperation().walk([](stablehlo::TanhOp tanh) {
      mlir::OpBuilder builder(tanh);
      auto other = stablehlo::CosineOp::create(builder, tanh.getLoc(), tanh->getResultTypes(),
                                               tanh->getOperands());
      tanh->replaceAllUsesWith(other);
      tanh->erase();
    });
  }
};
} // namespace

TEST(CheckTest, OverwrittenMemoryIsNamed) {
  // The last operation forms a kernel of its own, which reads the results of both dots.
  const char *text = R"(
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %a = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
})";
  CompileOptions options = plainOptions();
  options.verifyContracts = false; // contracts would find the fault earlier
  options.addedPasses.emplace_back("buffers", [] { return std::make_unique<OverlapPass>(); });
  Result<CheckReport> report = checkText(text, options);
  ASSERT_TRUE(report) << report.error().str();
  EXPECT_NE(report->memoryFault.find("its input"), std::string::npos) << report->memoryFault;
  Status said = verdict(*report, "test");
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, errors::MemoryDiverges);
}

// A fault that is in both the plan and the native code is found only by comparison with the program
// as written.
TEST(CheckTest, WrongPhaseIsNamed) {
  for (const char *phase : {"simplify", "fusion", "buffers"}) {
    SCOPED_TRACE(phase);
    CompileOptions options = plainOptions();
    options.addedPasses.emplace_back(phase, [] { return std::make_unique<SwapPass>(); });
    Result<CheckReport> report = checkText(everything, options);
    ASSERT_TRUE(report) << report.error().str();
    EXPECT_FALSE(report->first);
    EXPECT_EQ(report->wrongPhase, phase);
    Status said = verdict(*report, "test");
    ASSERT_FALSE(said);
    EXPECT_EQ(said.error().code, errors::PhaseDiverges);
  }
}

// The plan has a launch that the native code lacks.
TEST(CheckTest, PartedWaysAreNamed) {
  TestProgram program(everything);
  CompileOptions options = plainOptions();
  options.timeKernels = true;
  Result<Compilation> compiled = compile(*program.module, "test", options);
  ASSERT_TRUE(compiled) << compiled.error().str();
  std::vector<plan::LaunchOp> launches;
  entryFunction(*program.module).getBody().front().walk([&](plan::LaunchOp launch) {
    launches.push_back(launch);
  });
  mlir::OpBuilder builder(launches.front());
  builder.clone(*launches.front());
  CheckReport report;
  Status status =
      checkLaunches(*program.module, *compiled, {makeNumbers(compiled->description.arguments), {}},
                    options, {}, report);
  ASSERT_TRUE(status) << status.error().str();
  EXPECT_NE(report.memoryFault.find("the plan continues with"), std::string::npos)
      << report.memoryFault;
}

// Finds the operation inside a kernel that rounds differently.
TEST(CheckTest, OperationIsNamedInUlps) {
  const char *text = R"(
func.func @main(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %a = stablehlo.add %x, %x : tensor<4096xf32>
  %e = stablehlo.exponential %a : tensor<4096xf32>
  %m = stablehlo.multiply %e, %x : tensor<4096xf32>
  return %m : tensor<4096xf32>
})";
  CheckOptions checking;
  checking.tolerance.ulps = 0;
  Result<CheckReport> report = checkText(text, plainOptions(), checking);
  ASSERT_TRUE(report) << report.error().str();
  ASSERT_TRUE(report->first);
  EXPECT_EQ(report->first->operation.rfind("stablehlo.exponential", 0), 0u)
      << report->first->operation;
  EXPECT_EQ(report->first->operationElements.maxUlps, 1);
  // The test has to allow one ULP for the function, and one rounding for the multiplication.
  checking.tolerance.ulps = 2;
  Result<CheckReport> wide = checkText(text, plainOptions(), checking);
  ASSERT_TRUE(wide);
  EXPECT_FALSE(wide->first);
  checking.tolerance = {};
  checking.tolerance.relative = 0;
  EXPECT_TRUE(checkText(text, plainOptions(), checking)->first);
}

// A difference of nearly equal sums is as inexact as the sums.
TEST(CheckTest, CancellationIsNoDivergence) {
  const char *text = R"(
func.func @main(%x: tensor<16x2048xf32>, %w: tensor<2048x16xf32>) -> tensor<16x16xf32> {
  %big = stablehlo.constant dense<1.0e4> : tensor<16x2048xf32>
  %y = stablehlo.add %x, %big : tensor<16x2048xf32>
  %d = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<16x2048xf32>, tensor<2048x16xf32>) -> tensor<16x16xf32>
  %s = stablehlo.slice %d [0:1, 0:16] : (tensor<16x16xf32>) -> tensor<1x16xf32>
  %r = stablehlo.reshape %s : (tensor<1x16xf32>) -> tensor<16xf32>
  %b = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<16xf32>) -> tensor<16x16xf32>
  %z = stablehlo.subtract %d, %b : tensor<16x16xf32>
  return %z : tensor<16x16xf32>
})";
  Result<CheckReport> report = checkText(text, plainOptions());
  ASSERT_TRUE(report) << report.error().str();
  EXPECT_FALSE(report->first) << drumlin::checkText(*report);
  EXPECT_TRUE(verdict(*report, "test")) << drumlin::checkText(*report);
}

// Expects that the check passes by default, and fails with a tolerance that the user gives, since
// allowances don't widen such a tolerance.
static void expectTakenByAllowance(const char *text) {
  Result<CheckReport> report = checkText(text, plainOptions());
  ASSERT_TRUE(report) << report.error().str();
  EXPECT_TRUE(verdict(*report, "test")) << drumlin::checkText(*report);
  CheckOptions checking;
  checking.tolerance.ulps = 1000;
  EXPECT_FALSE(verdict(*checkText(text, plainOptions(), checking), "test"));
}

// Addends whose sum overflows in some orders only.
TEST(CheckTest, OverflowOnTheWayIsNoDivergence) {
  const char *text = R"(
func.func @main(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %big = stablehlo.constant dense<1.0e38> : tensor<4x64xf32>
  %y = stablehlo.multiply %x, %big : tensor<4x64xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x64xf32>, tensor<f32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
})";
  expectTakenByAllowance(text);
}

// Addends of a dot that phase simplify splits into several dots. Their sum overflows in some orders
// only.
TEST(CheckTest, OverflowInAGroupOfRowsIsNoDivergence) {
  const char *text = R"(
func.func @main(%x: tensor<8x64xf32>, %w: tensor<3x64x16xf32>) -> tensor<8x16xf32> {
  %sizes = stablehlo.constant dense<[3, 4, 1]> : tensor<3xi32>
  %big = stablehlo.constant dense<1.0e38> : tensor<8x64xf32>
  %y = stablehlo.multiply %x, %big : tensor<8x64xf32>
  %r = "chlo.ragged_dot"(%y, %w, %sizes) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<8x64xf32>, tensor<3x64x16xf32>, tensor<3xi32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
})";
  expectTakenByAllowance(text);
}

// Complex sums that cancel, and updates of one element that cancel.
TEST(CheckTest, ComplexCancellationIsNoDivergence) {
  const char *text = R"(
func.func @main(%x: tensor<4x2048xf32>) -> tensor<4xcomplex<f32>> {
  %big = stablehlo.constant dense<1.0e4> : tensor<4x2048xf32>
  %y = stablehlo.add %x, %big : tensor<4x2048xf32>
  %z = stablehlo.complex %y, %x : tensor<4x2048xcomplex<f32>>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %s = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x2048xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
  %v = stablehlo.reverse %z, dims = [1] : tensor<4x2048xcomplex<f32>>
  %t = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x2048xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
  %d = stablehlo.subtract %s, %t : tensor<4xcomplex<f32>>
  return %d : tensor<4xcomplex<f32>>
})";
  expectTakenByAllowance(text);
}

// Tangents of large sums may be any number. Only many evaluations show the range of such a tangent.
TEST(CheckTest, FunctionsOfLargeSumsAreNoDivergence) {
  const char *text = R"(
func.func @main(%x: tensor<9x300xf32>, %w: tensor<300x9xf32>) -> tensor<9x9xf32> {
  %big = stablehlo.constant dense<1.0e20> : tensor<9x9xf32>
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<9x300xf32>, tensor<300x9xf32>) -> tensor<9x9xf32>
  %s = stablehlo.multiply %d, %big : tensor<9x9xf32>
  %t = stablehlo.tan %s : tensor<9x9xf32>
  %low = stablehlo.constant dense<-4.0> : tensor<9x9xf32>
  %high = stablehlo.constant dense<4.0> : tensor<9x9xf32>
  %c = stablehlo.clamp %low, %t, %high : tensor<9x9xf32>
  return %c : tensor<9x9xf32>
})";
  expectTakenByAllowance(text);
}

// Infinity times a subnormal number is infinity, but times zero it is NaN.
TEST(CheckTest, FlushedOperandsAreNoDivergence) {
  const char *text = R"(
func.func @main() -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %subnormal = stablehlo.constant dense<5.0e-39> : tensor<16x8xbf16>
  %infinite = stablehlo.constant dense<0x7F80> : tensor<8x16xbf16>
  %large = stablehlo.constant dense<1.0e38> : tensor<8x16xbf16>
  %a, %b, %c = stablehlo.optimization_barrier %subnormal, %infinite, %large : tensor<16x8xbf16>, tensor<8x16xbf16>, tensor<8x16xbf16>
  %d = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<16x8xbf16>, tensor<8x16xbf16>) -> tensor<16x16xf32>
  %e = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] : (tensor<16x8xbf16>, tensor<8x16xbf16>) -> tensor<16x16xf32>
  return %d, %e : tensor<16x16xf32>, tensor<16x16xf32>
})";
  Result<CheckReport> report = checkText(text, plainOptions());
  ASSERT_TRUE(report) << report.error().str();
  EXPECT_TRUE(verdict(*report, "test")) << drumlin::checkText(*report);
  // Without the bf16 dot instruction, nothing differs.
  bool isFlushed = report->kernels.front().relaxations.allows(Relaxation::FlushProducts);
  for (const ResultCheck &result : report->results) {
    EXPECT_EQ(result.elements.differing, isFlushed ? 256 : 0);
  }
  CompileOptions strict = plainOptions();
  strict.numerics = Numerics::Strict;
  report = checkText(text, strict);
  ASSERT_TRUE(report) << report.error().str();
  for (const ResultCheck &result : report->results) {
    EXPECT_EQ(result.elements.differing, 0);
  }
}

// Products that overflow or underflow f32 in some orders of their factors and not in others. With a
// zero or an infinity among the factors, some orders give NaN.
TEST(CheckTest, ProductsThatLeaveTheRangeOnTheWayAreNoDivergence) {
  const char *text = R"(
func.func @main() -> (tensor<f32>, tensor<f32>) {
  %big = stablehlo.constant dense<1.0e20> : tensor<32xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<32xf32>
  %small = stablehlo.constant dense<1.0e-20> : tensor<32xf32>
  %p = stablehlo.concatenate %zero, %big, %zero, %small, %big, dim = 0 : (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<160xf32>
  %q = stablehlo.concatenate %small, %big, dim = 0 : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
  %p2, %q2 = stablehlo.optimization_barrier %p, %q : tensor<160xf32>, tensor<64xf32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %r = stablehlo.reduce(%p2 init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<160xf32>, tensor<f32>) -> tensor<f32>
  %s = stablehlo.reduce(%q2 init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  return %r, %s : tensor<f32>, tensor<f32>
})";
  expectTakenByAllowance(text);
}

// A sum of 76 products of 1.5 and the smallest subnormal number. Native code may round each product
// or keep it unrounded.
TEST(CheckTest, ProductsThatUnderflowAreNoDivergence) {
  const char *text = R"(
func.func @main() -> tensor<1xf32> {
  %least = stablehlo.constant dense<0x00000001> : tensor<76xf32>
  %factor = stablehlo.constant dense<1.5> : tensor<1x76xf32>
  %a, %b = stablehlo.optimization_barrier %least, %factor : tensor<76xf32>, tensor<1x76xf32>
  %r = stablehlo.dot_general %a, %b, contracting_dims = [0] x [1] : (tensor<76xf32>, tensor<1x76xf32>) -> tensor<1xf32>
  return %r : tensor<1xf32>
})";
  CompileOptions options = plainOptions();
  options.target = *targetFromName("baseline"); // this target has no fused multiply-add
  Result<CheckReport> report = checkText(text, options);
  ASSERT_TRUE(report) << report.error().str();
  EXPECT_TRUE(verdict(*report, "test")) << drumlin::checkText(*report);
}

// The difference of a product and a nearly equal constant is only the product's rounding error.
TEST(CheckTest, ProductsThatAreNotRoundedAreNoDivergence) {
  const char *text = R"(
func.func @main() -> tensor<4xf32> {
  %x = stablehlo.constant dense<1.000244140625> : tensor<4xf32>
  %y = stablehlo.constant dense<1.00048828125> : tensor<4xf32>
  %a, %b = stablehlo.optimization_barrier %x, %y : tensor<4xf32>, tensor<4xf32>
  %p = stablehlo.multiply %a, %a : tensor<4xf32>
  %d = stablehlo.subtract %p, %b : tensor<4xf32>
  return %d : tensor<4xf32>
})";
  CompileOptions options = plainOptions();
  options.target = *targetFromName("avx2");
  Result<CheckReport> strict = checkText(text, options);
  ASSERT_TRUE(strict) << strict.error().str();
  EXPECT_EQ(strict->results.front().elements.differing, 0);
  options.numerics = {Relaxation::Contract};
  Result<CheckReport> report = checkText(text, options);
  ASSERT_TRUE(report) << report.error().str();
  EXPECT_TRUE(verdict(*report, "test")) << drumlin::checkText(*report);
  EXPECT_EQ(report->results.front().elements.differing, 4);
  EXPECT_EQ(report->kernels.front().relaxations, Numerics({Relaxation::Contract}));
  CheckOptions checking;
  checking.tolerance.ulps = 1000;
  EXPECT_FALSE(verdict(*checkText(text, options, checking), "test"));
}

TEST(CheckTest, RoundingsAreListed) {
  const char *text = R"(
func.func @main(%x: tensor<64x128xbf16>, %w: tensor<128x64xbf16>, %f: tensor<8x16xf8E5M2>, %g: tensor<16x8xf8E5M2>) -> (tensor<64xbf16>, tensor<8x8xf8E4M3FN>) {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x128xbf16>, tensor<128x64xbf16>) -> tensor<64x64xbf16>
  %t = stablehlo.tanh %d : tensor<64x64xbf16>
  %r = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xbf16>, tensor<bf16>) -> tensor<64xbf16>
  %h = stablehlo.dot_general %f, %g, contracting_dims = [1] x [0] : (tensor<8x16xf8E5M2>, tensor<16x8xf8E5M2>) -> tensor<8x8xf8E4M3FN>
  return %r, %h : tensor<64xbf16>, tensor<8x8xf8E4M3FN>
})";
  TestProgram program(text);
  CompileOptions options = plainOptions();
  options.target = *targetFromName("avx512");
  Result<Compilation> compiled = compile(*program.module, "test", options);
  ASSERT_TRUE(compiled) << compiled.error().str();
  std::set<std::string> seen;
  for (const RoundingNote &note : roundingNotes(*program.module, compiled->phases.ledger)) {
    EXPECT_NE(note.text, "");
    EXPECT_NE(note.operation, "");
    seen.insert(note.what);
  }
  EXPECT_EQ(seen, (std::set<std::string>{"dot-round-operands", "dot-sum", "function",
                                         "gemm-bf16-dot", "reduction-order", "reduction-width"}));
  TestProgram strict(text);
  options.numerics = Numerics::Strict;
  ASSERT_TRUE(strict.run(options));
  for (const RoundingNote &note : roundingNotes(*strict.module, {})) {
    EXPECT_NE(note.what, "gemm-bf16-dot");
  }
}

// A scatter of many updates accumulates in f64, and the check reports this.
TEST(CheckTest, WideUpdatesAreListed) {
  TestProgram program(R"(
func.func @main(%x: tensor<3xf32>, %i: tensor<1000x1xi32>, %u: tensor<1000xf32>) -> tensor<3xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<3xf32>, tensor<1000x1xi32>, tensor<1000xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
})");
  ASSERT_TRUE(program.run(plainOptions()));
  std::vector<RoundingNote> notes = roundingNotes(*program.module, program.result.ledger);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes.front().what, "reduction-width");
  EXPECT_NE(notes.front().text.find("1001 terms"), std::string::npos) << notes.front().text;
}

// Adds a few updates to one element, in each narrow type. The updates accumulate in a wider type if
// rounding could change every digit. Otherwise, or if the wider type is declined, errors stay
// within the bounds.
TEST(CheckTest, UpdatesOfNarrowTypesStayNear) {
  static constexpr const char *text = R"(
func.func @main(%x: tensor<3xTYPE>, %i: tensor<16x1xui8>, %u: tensor<16xTYPE>) -> tensor<3xTYPE> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<TYPE>, %b: tensor<TYPE>):
    %c = stablehlo.add %a, %b : tensor<TYPE>
    stablehlo.return %c : tensor<TYPE>
  }) : (tensor<3xTYPE>, tensor<16x1xui8>, tensor<16xTYPE>) -> tensor<3xTYPE>
  return %r : tensor<3xTYPE>
})";
  int types = 0;
  for (size_t i = 0; i < elementTypeCount(); ++i) {
    const ElementTypeInfo &entry = info(static_cast<ElementType>(i));
    if (entry.kind != ElementKind::Float || entry.bits >= 32) {
      continue;
    }
    ++types;
    SCOPED_TRACE(entry.name);
    std::string typed = std::regex_replace(text, std::regex("TYPE"), std::string(entry.name));
    for (bool isWidened : {true, false}) {
      CompileOptions options = plainOptions();
      if (!isWidened) {
        options.disabledPasses = {"widen-scatter"};
      }
      Result<CheckReport> report = checkText(typed.c_str(), options);
      ASSERT_TRUE(report) << report.error().str();
      EXPECT_FALSE(report->first) << isWidened;
      bool isWide = llvm::any_of(report->roundings, [](const RoundingNote &note) {
        return note.what == "reduction-width";
      });
      EXPECT_EQ(isWide, isWidened && entry.bits < 16);
    }
  }
  EXPECT_GE(types, 10);
}

//===- elements ---------------------------------------------------------------===//

static Tensor oneElement(ElementType type, double value) {
  Tensor tensor(type, {1});
  encodeRun(type, &value, tensor.data(), 1);
  return tensor;
}

// In each type, neighbours are one ULP apart, on both sides of zero and of a power of two.
TEST(ElementCheckTest, NeighboursAreOneUlpApart) {
  for (ElementType type : {ElementType::F64, ElementType::F32, ElementType::F16, ElementType::BF16,
                           ElementType::F8E4M3FN, ElementType::F8E5M2, ElementType::F8E4M3FNUZ,
                           ElementType::F8E8M0FNU, ElementType::F4E2M1FN}) {
    SCOPED_TRACE(name(type));
    size_t width = storageBytes(type);
    for (uint64_t pattern : {uint64_t(1), uint64_t(3), uint64_t(4), uint64_t(6)}) {
      Tensor a(type, {1}), b(type, {1});
      uint64_t next = pattern + 1;
      std::memcpy(a.data(), &pattern, width);
      std::memcpy(b.data(), &next, width);
      CheckTolerance exact;
      exact.ulps = 0;
      ElementCheck check = checkElements(a, b, exact, false);
      EXPECT_EQ(check.maxUlps, 1);
      EXPECT_TRUE(check.diverges);
      exact.ulps = 1;
      EXPECT_FALSE(checkElements(a, b, exact, false).diverges);
    }
  }
  CheckTolerance none;
  EXPECT_EQ(checkElements(oneElement(ElementType::F32, 0.0), oneElement(ElementType::F32, -0.0),
                          none, false)
                .differing,
            0);
  ElementCheck tiny = checkElements(oneElement(ElementType::F32, 1e-45),
                                    oneElement(ElementType::F32, -1e-45), none, false);
  EXPECT_EQ(tiny.maxUlps, 2);
  ElementCheck nan = checkElements(oneElement(ElementType::F32, NAN),
                                   oneElement(ElementType::F32, 1), none, false);
  EXPECT_EQ(nan.maxUlps, noUlps);
  EXPECT_TRUE(nan.diverges);
  EXPECT_EQ(checkElements(oneElement(ElementType::F32, NAN), oneElement(ElementType::F32, -NAN),
                          none, false)
                .differing,
            0);
  // The largest possible distance doesn't overflow.
  ElementCheck far = checkElements(oneElement(ElementType::F64, INFINITY),
                                   oneElement(ElementType::F64, -INFINITY), none, false);
  EXPECT_GT(far.maxUlps, int64_t(1) << 62);
  EXPECT_TRUE(far.diverges);
}

TEST(ElementCheckTest, IntegersAreEqualUnlessTheyComeFromRoundings) {
  Tensor a(ElementType::SI8, {200}), b(ElementType::SI8, {200});
  *b.as<int8_t>() = 1;
  EXPECT_TRUE(checkElements(a, b, {}, false).diverges);
  EXPECT_FALSE(checkElements(a, b, {}, true).diverges);
  *b.as<int8_t>() = -2;
  EXPECT_EQ(checkElements(a, b, {}, true).maxUlps, 2);
  EXPECT_TRUE(checkElements(a, b, {}, true).diverges);
  for (int i = 0; i < 3; ++i) {
    b.as<int8_t>()[i] = 1;
  }
  EXPECT_TRUE(checkElements(a, b, {}, true).diverges); // more than 1 % of the elements
}

//===- origins ----------------------------------------------------------------===//

struct OriginCase {
  const char *name;
  const char *text;
  const char *nan, *infinity; // the start of the origin's text; empty: none
};
static void PrintTo(const OriginCase &test, std::ostream *stream) { *stream << test.name; }
class OriginTest : public testing::TestWithParam<OriginCase> {};

TEST_P(OriginTest, IsNamed) {
  Result<CheckReport> report = checkText(GetParam().text, plainOptions());
  ASSERT_TRUE(report) << report.error().str();
  for (const NonFiniteOrigins *origins : {&report->native, &report->interpreted}) {
    EXPECT_EQ(origins->nan ? origins->nan->operation : "", GetParam().nan);
    EXPECT_EQ(origins->infinity ? origins->infinity->operation : "", GetParam().infinity);
  }
  EXPECT_FALSE(report->first);
}

INSTANTIATE_TEST_SUITE_P(Programs, OriginTest,
                         testing::Values(OriginCase{"RootOfNegative", R"(
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %s = stablehlo.sqrt %x : tensor<64xf32>
  %a = stablehlo.add %s, %x : tensor<64xf32>
  return %a : tensor<64xf32>
})",
                                                    "stablehlo.sqrt", ""},
                                         OriginCase{"OverflowInALoop", R"(
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %l:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<64xf32>
   cond {
    %t = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %m = stablehlo.multiply %v, %v : tensor<64xf32>
    stablehlo.return %j, %m : tensor<i32>, tensor<64xf32>
  }
  return %l#1 : tensor<64xf32>
})",
                                                    "", "stablehlo.multiply"},
                                         OriginCase{"InfinityMinusItself", R"(
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %big = stablehlo.constant dense<1.0e30> : tensor<64xf32>
  %a = stablehlo.add %x, %big : tensor<64xf32>
  %m = stablehlo.multiply %a, %a : tensor<64xf32>
  %s = stablehlo.multiply %m, %x : tensor<64xf32>
  %n = stablehlo.subtract %s, %s : tensor<64xf32>
  return %n, %s : tensor<64xf32>, tensor<64xf32>
})",
                                                    "stablehlo.subtract", "stablehlo.multiply"},
                                         OriginCase{"SumThatOverflows", R"(
func.func @main(%x: tensor<64x64xf16>) -> tensor<64xf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<f16>
  %big = stablehlo.constant dense<3.0e4> : tensor<64x64xf16>
  %c = stablehlo.clamp %big, %x, %big : tensor<64x64xf16>
  %s = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf16>, tensor<f16>) -> tensor<64xf16>
  return %s : tensor<64xf16>
})",
                                                    "", "stablehlo.reduce"},
                                         // Infinities among a program's constants are intended.
                                         OriginCase{"InfinityAsAMask", R"(
func.func @main(%x: tensor<64xf32>, %p: tensor<64xi1>) -> tensor<64xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<64xf32>
  %s = stablehlo.select %p, %x, %low : tensor<64xi1>, tensor<64xf32>
  return %s : tensor<64xf32>
})",
                                                    "", ""},
                                         OriginCase{"OneElementOfMany", R"(
func.func @main(%x: tensor<64xf32>, %p: tensor<64xi1>) -> tensor<64xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<64xf32>
  %s = stablehlo.select %p, %x, %low : tensor<64xi1>, tensor<64xf32>
  %z = stablehlo.constant dense<0.0> : tensor<64xf32>
  %d = stablehlo.divide %s, %z : tensor<64xf32>
  return %d : tensor<64xf32>
})",
                                                    "", "stablehlo.divide"}),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace drumlin

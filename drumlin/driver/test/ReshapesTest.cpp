// Tests that reshapes between kernels stay bitcasts: in the program of ReportedAttention.h, with
// each kernel that its dot can have, and in random programs of reshapes, transposes and dots. A
// pass that turns a bitcast back into a reshape is reported by name.
#include "CompileAndRun.h"
#include "ReportedAttention.h"
#include "ReshapeTraversal.h"

#include "drumlin/driver/tuner/KernelTuning.h"
#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "drumlin/transforms/Contracts.h"
#include "mlir/Pass/Pass.h"

#include <gtest/gtest.h>

namespace drumlin {

TEST(ReshapesTest, TheReportedProgramWithEachKernelThatItCanHave) {
  Result<CpuTarget> target = cpuTargetFromName("native");
  ASSERT_TRUE(target);
  CompileOptions fromBuffers;
  fromBuffers.startFrom = "buffers";
  size_t forced = 0;
  for (const Consumer &consumer : consumers) {
    std::string text = reportedProgram(consumer.operations, consumer.result);
    SCOPED_TRACE(text);
    TestProgram program(text);
    ASSERT_TRUE(program.module);
    std::vector<Tensor> arguments = randomArguments(*program.module, 3);
    Result<std::vector<Tensor>> expected = interpret(*program.module, arguments);
    ASSERT_TRUE(expected) << expected.error().str();
    Status status = program.run();
    ASSERT_TRUE(status) << status.error().str();
    mlir::OwningOpRef<mlir::ModuleOp> placed = program.module->clone();
    std::vector<Tensor> usual = compileAndRun(*placed, fromBuffers, arguments);
    expectClose(usual, *expected, 2e-2);
    std::vector<plan::KernelOp> kernels;
    program.module->walk([&](plan::KernelOp kernel) {
      if (kernel.getKind() == plan::KernelKind::gemm) {
        kernels.push_back(kernel);
      }
    });
    EXPECT_FALSE(kernels.empty());
    for (plan::KernelOp kernel : kernels) {
      Result<std::vector<NamedSchedule>> schedules =
          gemmCandidates(kernel, *target, Numerics::Default);
      ASSERT_TRUE(schedules) << schedules.error().str();
      for (const NamedSchedule &schedule : *schedules) {
        SCOPED_TRACE(schedule.name);
        mlir::OwningOpRef<mlir::ModuleOp> copy = program.module->clone();
        setSchedule(copy->lookupSymbol<plan::KernelOp>(kernel.getSymName()), schedule.schedule);
        std::vector<Tensor> got = compileAndRun(*copy, fromBuffers, arguments);
        ASSERT_EQ(got.size(), usual.size());
        for (size_t i = 0; i < got.size(); ++i) {
          std::span<const std::byte> a(got[i].data(), static_cast<size_t>(got[i].bytes()));
          std::span<const std::byte> b(usual[i].data(), static_cast<size_t>(usual[i].bytes()));
          EXPECT_TRUE(std::ranges::equal(a, b)) << "other bits";
        }
        ++forced;
      }
    }
  }
  EXPECT_GT(forced, 10u);
}

static void walk(uint64_t first, uint64_t last) {
  size_t bitcasts = 0;
  for (uint64_t seed = first; seed < last; ++seed) {
    std::string text = ReshapeTraversal(seed).program(9);
    SCOPED_TRACE(text);
    TestProgram program(text);
    ASSERT_TRUE(program.module);
    std::vector<Tensor> arguments = randomArguments(*program.module, seed);
    Result<std::vector<Tensor>> expected = interpret(*program.module, arguments);
    ASSERT_TRUE(expected) << expected.error().str();
    std::vector<Tensor> got = compileAndRun(*program.module, {}, arguments);
    expectClose(got, *expected, 2e-5);
    // The contract was checked after every pass; here, it is checked once more at the end.
    EXPECT_FALSE(findContract("reshapes-are-bitcasts")->check(*program.module));
    program.module->walk([&](plan::BitcastOp) { ++bitcasts; });
    if (testing::Test::HasFailure()) {
      return;
    }
  }
  EXPECT_GT(bitcasts, (last - first) / 4) << "there are hardly any reshapes between kernels";
}

TEST(ReshapesTest, SomeRandomPrograms) { walk(0, 40); }
TEST(SlowReshapesTest, ManyRandomPrograms) { walk(40, 640); }

namespace {
// Replaces the first bitcast in the module by a reshape.
class UndoABitcast : public mlir::PassWrapper<UndoABitcast, mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UndoABitcast)
  mlir::StringRef getArgument() const override { return "undo-a-bitcast"; }
  void runOnOperation() override {
    plan::BitcastOp found;
    getOperation().walk([&](plan::BitcastOp bitcast) {
      found = bitcast;
      return mlir::WalkResult::interrupt();
    });
    if (!found) {
      return;
    }
    mlir::OpBuilder builder(found);
    auto reshape =
        stablehlo::ReshapeOp::create(builder, found.getLoc(), found.getType(), found.getOperand());
    found.replaceAllUsesWith(reshape.getResult());
    found.erase();
  }
};
} // namespace

// The faulty pass runs in each phase after the phase that creates bitcasts.
TEST(ReshapesTest, APassThatTakesABitcastBackIsNamed) {
  std::string text = R"(
func.func @main(%x: tensor<8x6xf32>, %w: tensor<12x5xf32>, %u: tensor<10x3xf32>) -> tensor<6xf32> {
  %0 = stablehlo.reshape %x : (tensor<8x6xf32>) -> tensor<4x12xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<4x12xf32>, tensor<12x5xf32>) -> tensor<4x5xf32>
  %2 = stablehlo.reshape %1 : (tensor<4x5xf32>) -> tensor<2x10xf32>
  %3 = stablehlo.dot_general %2, %u, contracting_dims = [1] x [0] : (tensor<2x10xf32>, tensor<10x3xf32>) -> tensor<2x3xf32>
  %r = stablehlo.reshape %3 : (tensor<2x3xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
})";
  for (const char *phase : {"layout", "select", "schedule", "buffers"}) {
    SCOPED_TRACE(phase);
    TestProgram program(text);
    ASSERT_TRUE(program.module);
    CompileOptions options;
    options.addedPasses.emplace_back(phase, [] { return std::make_unique<UndoABitcast>(); });
    Status status = program.run(options);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, errors::InternalError);
    EXPECT_NE(status.error().message.find(
                  "pass `undo-a-bitcast` broke the contract `reshapes-are-bitcasts`"),
              std::string::npos)
        << status.error().str();
  }
}

} // namespace drumlin

// Counts the operations that loop kernels of random programs execute, and compares them with the
// kernels' costs: code must not repeat work that fusion and `drumlin cost` count once.
#include "Generator.h"

#include "../../../drumlin/driver/test/TestProgram.h"
#include "../../../drumlin/driver/test/costs/RunningCounts.h"
#include "drumlin/codegen/cpu/ObjectEmitter.h"
#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/ir/plan/KernelOp.h"

#include <gtest/gtest.h>

namespace drumlin {

// The largest allowed ratio of the FLOPs that a kernel executes to the FLOPs in its cost. Kernels
// may execute more, since costs don't model how many indices of chained updates coincide.
static constexpr int64_t mostTimes = 3;
static constexpr uint64_t programs = 250;

TEST(SlowCountsTest, LoopKernelsDoNoMoreThanIsCounted) {
  CpuTarget target = *cpuTargetFromName("native");
  int kernels = 0;
  for (uint64_t seed = 0; seed < programs; ++seed) {
    TestProgram program(fuzz::generate(seed).text);
    ASSERT_TRUE(program.module);
    Status status = program.run();
    ASSERT_TRUE(status) << "seed " << seed << ": " << status.error().str();
    for (plan::KernelOp kernel : program.module->getOps<plan::KernelOp>()) {
      if (kernel.getKind() != plan::KernelKind::loop) {
        continue;
      }
      ++kernels;
      Result<RunningCounts> running = countWhileRunning(kernel, target, drawInputs(kernel));
      ASSERT_TRUE(running) << running.error().str();
      EXPECT_LE(flopsOf(kernel, *running), mostTimes * kernelCost(kernel).cost.hardwareFlops())
          << "seed " << seed << ", kernel " << kernel.getSymName().str();
    }
  }
  EXPECT_GE(kernels, 1000);
}

} // namespace drumlin

// Checks that no main loop of a routine accesses the stack or copies a register.
#include "drumlin/codegen/cpu/routines/RoutineCode.h"

#include "drumlin/codegen/cpu/ObjectEmitter.h"
#include "drumlin/codegen/cpu/gemm/MultiplyRoutine.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

#include <algorithm>

namespace drumlin {

// Returns whether the routine is a micro-kernel of a GEMM or of panels, which keeps sums in
// registers. Streams (`routine_stream_…`) aren't included: they are memory-bound.
static bool keepsSums(const EmbeddedRoutine &routine) {
  return routine.name.starts_with("routine_multiply_") ||
         routine.name.starts_with("routine_eliminate_") ||
         routine.name.starts_with("routine_factorize_");
}

// A register that is spilled or copied in each step costs more than a micro-kernel with more
// registers saves.
TEST(RoutineCode, NoMainLoopSpillsOrMovesARegister) {
  CodeReader reader;
  for (const EmbeddedRoutine &routine : embeddedRoutines().all()) {
    size_t mainLoops = 0;
    for (const CodeLoop &loop : reader.innermostLoops(routine)) {
      if (keepsSums(routine) && loop.multiplyAdds > 0) {
        ++mainLoops;
        EXPECT_EQ(loop.stackAccesses, 0U) << routine.name;
        EXPECT_EQ(loop.moves, 0U) << routine.name;
      }
    }
    EXPECT_EQ(mainLoops > 0, keepsSums(routine)) << routine.name;
  }
}

// Compiles a micro-kernel that the library doesn't have, and returns its main loop.
static CodeLoop mainLoopOf(const codegen::MultiplyRoutine &routine, const CpuTarget &target) {
  llvm::LLVMContext context;
  llvm::Module module("routine", context);
  routine.exported(module, target);
  Result<llvm::SmallVector<char, 0>> object = codegen::ObjectEmitter(target).emit(module);
  EmbeddedRoutine compiled = {
      "", "", {reinterpret_cast<const uint8_t *>(object->data()), object->size()}};
  CodeLoop most;
  for (CodeLoop &loop : CodeReader().innermostLoops(compiled)) {
    most = loop.multiplyAdds > most.multiplyAdds ? std::move(loop) : std::move(most);
  }
  return most;
}

// 15 sums, 3 registers of columns and a broadcast need more than 16 registers.
TEST(RoutineCode, SpillsOfAShapeThatDoesNotFitAreSeen) {
  CpuTarget target = *cpuTargetFromName("avx2");
  codegen::MultiplyRoutine routine;
  routine.vectors = 3;
  routine.rows = 5;
  EXPECT_LT(maxMicroKernelRows(target, routine.vectors), routine.rows);
  EXPECT_GT(mainLoopOf(routine, target).stackAccesses, 0U);
}

// Checks that the main loop found for each micro-kernel is exactly one step: it has one
// multiply-add per register of sums. Also checks that the cycles of a step in MicroKernels.def are
// at least the cycles that the step's multiply-adds take.
TEST(RoutineCode, AMicroKernelsStepMultipliesOnceForEachSumAndItsCyclesAreKnown) {
  CodeReader reader;
  for (std::string_view level : routineLevels) {
    CpuTarget target = *cpuTargetFromName(level);
    for (const codegen::MultiplyRoutine &routine : codegen::sharedMultiplies(target)) {
      std::string name = routine.name(target);
      size_t most = 0;
      for (const CodeLoop &loop : reader.innermostLoops(*embeddedRoutines().find(name, target))) {
        most = std::max(most, loop.multiplyAdds);
      }
      EXPECT_EQ(most, static_cast<size_t>(routine.rows * routine.vectors)) << name;
      std::optional<double> cycles = routine.microKernel(target).countedCycles();
      ASSERT_TRUE(cycles) << name << ": run `./dev cycles`";
      EXPECT_GE(*cycles, static_cast<double>(most) / countedPorts) << name;
    }
  }
}

} // namespace drumlin

// The steps by which a GEMM kernel's schedule is chosen; candidates differ from the cost model's in
// one of them.
#pragma once

#include "drumlin/ir/plan/gemm/GemmAccess.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "drumlin/target/CpuTarget.h"

namespace drumlin {

class GemmChoice {
public:
  // `kernel` is a plan.gemm, or a plan.kernel of that kind.
  GemmChoice(mlir::Operation *kernel, const CpuTarget &target);

  // The cost model's.
  GemmSchedule choose();
  // The best of an algorithm (target/KernelLayouts.def); nothing where it doesn't compute such
  // products.
  std::optional<GemmSchedule> chooseForced(llvm::StringRef algorithm);

  // So few products that they are one task with the least code.
  bool isTiny() const;
  // Whether results are combined over the whole result, tile by tile.
  bool combinesTiles() const;
  const GemmProblem &shape() const { return problem; }

  // These fill in what an algorithm asks for; `schedule` says which operand gives the rows.
  void schedulePacked(GemmSchedule &schedule);
  void scheduleStreamed(GemmSchedule &schedule, bool tiny);
  void scheduleAcross(GemmSchedule &schedule);
  bool scheduleDirect(GemmSchedule &schedule);

  GemmTiles tilesOf(const GemmSchedule &schedule) const { return {schedule, problem}; }
  // Even tiles, none larger than so many rows and columns.
  void cutIntoTiles(GemmSchedule &schedule, int64_t largestRows, int64_t largestColumns);
  // How many tiles are a task, from the size of one.
  void groupTiles(GemmSchedule &schedule);
  void chooseMicroKernel(GemmSchedule &schedule);
  // A strip of packed columns takes so many bytes at most.
  void chooseBlock(GemmSchedule &schedule, int64_t stripBytes);

private:
  LaneReads reads(GemmOperand operand, GemmAxis axis) const {
    return readsAlong(problem, operand, axis);
  }
  plan::ProductUnit fastestUnit() const;
  bool lieAcross() const;
  void chooseMicroKernel(GemmSchedule &schedule, int64_t rows, int64_t most);
  int64_t sumLanes() const { return target.registerLanes(problem.sumBytes()); }

  mlir::Operation *kernel;
  const CpuTarget &target;
  GemmProblem problem;
};

} // namespace drumlin

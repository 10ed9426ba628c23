// The steps by which a GEMM kernel's schedule is chosen; candidates differ from the cost model's in
// one of them.
#pragma once

#include "drumlin/transforms/gemm/GemmCost.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace drumlin {

// One way to compute a kernel's products: an algorithm, which operand gives the rows, and all that
// follows from them.
struct GemmAlternative {
  GemmSchedule schedule;
  GemmCost cost;

  // `packed`, `packed-swapped`, `packed-panels`.
  std::string name() const;
};

// Along which of its axes each operand lies in memory, and along which results do, where that is
// still to be chosen.
struct AssumedOrders {
  struct Operand {
    bool alongK = false, alongFree = false;
  } lhs, rhs;
  bool resultsAlongM = false, resultsAlongN = false;

  // A number for each.
  unsigned code() const;
};

class GemmChoice {
public:
  // `kernel` is a plan.gemm, or a plan.kernel of that kind.
  GemmChoice(mlir::Operation *kernel, const CpuTarget &target, Numerics numerics);
  // Of a dot_general whatever its kernel's region says about memory.
  GemmChoice(mlir::Operation *hero, const AssumedOrders &orders, const CpuTarget &target,
             Numerics numerics);

  // All that may be worth it, the cheapest first: the cost model's choice. At least one.
  std::vector<GemmAlternative> alternatives();
  // From now on as if one operand lay in panels for the unit that multiplies (GemmPanels.h).
  void assumePanels(GemmOperand operand) { assumedPanels = operand; }
  // The cheapest of an algorithm (target/KernelLayouts.def); nothing where it doesn't compute such
  // products.
  std::optional<GemmAlternative> chooseForced(llvm::StringRef algorithm);
  GemmCost costOf(const GemmSchedule &schedule);
  // With how many rows of which operand a runner-up of the choice would be the cheapest; empty
  // where it never is.
  std::string turningPoint(const GemmAlternative &runnerUp);

  // The steps below see the problem as this schedule does: with a padded dimension where it pads
  // one.
  void lookAs(const GemmSchedule &schedule);

  // So few products that they are one task with the least code.
  bool isTiny() const;
  const GemmProblem &shape() const { return problem; }

  // These fill in what an algorithm asks for; `schedule` says which operand gives the rows.
  void schedulePacked(GemmSchedule &schedule);
  void scheduleGemv(GemmSchedule &schedule);
  void scheduleBatchInterleaved(GemmSchedule &schedule);
  void chooseColumnOrder(GemmSchedule &schedule);
  bool scheduleDirect(GemmSchedule &schedule);

  GemmTiles tilesOf(const GemmSchedule &schedule) const { return {schedule, problem}; }
  // Even tiles, none larger than so many rows and columns.
  void cutIntoTiles(GemmSchedule &schedule, int64_t largestRows, int64_t largestColumns);
  // One piece more of rows, columns or both, where threads can't share a few tiles evenly.
  void cutEvenly(GemmSchedule &schedule);
  // How many tiles are a task, from the size of one.
  void groupTiles(GemmSchedule &schedule);
  void allowFewerRows(GemmSchedule &schedule, int64_t step);
  void chooseMicroKernel(GemmSchedule &schedule);
  // A panel of packed columns takes so many bytes at most.
  void chooseBlock(GemmSchedule &schedule, int64_t panelBytes);

private:
  const LaneReads &reads(GemmOperand operand, GemmAxis axis);
  int64_t runsStored(unsigned axis);
  ComputeUnit fastestUnit() const;
  bool lieBatchInterleaved();
  bool liesInPanels(GemmOperand operand, ComputeUnit unit);
  void addBatchInterleaved();
  void addGemv(bool swapped);
  void addPacked(bool swapped);
  bool mayLieInPlace(const GemmSchedule &schedule);
  void addInPlace(GemmSchedule schedule);
  void addDirect();
  void add(const GemmSchedule &schedule);
  bool pad(bool swapped);
  void chooseMicroKernel(GemmSchedule &schedule, int64_t rows, int64_t most, bool isFar = false);
  void chooseTileKernel(GemmSchedule &schedule);
  int64_t sumLanes() const { return target.registerLanes(problem.sumBytes()); }

  const CpuTarget &target;
  Numerics numerics;
  GemmProblem problem;
  std::vector<GemmAlternative> found;
  std::optional<GemmOperand> assumedPanels;
  bool assumesOrders = false; // of operands whose places in memory aren't chosen yet
  // By operand, axis, and whether the problem is padded; made when asked for.
  std::map<std::tuple<GemmOperand, GemmAxis, bool>, LaneReads> knownReads;
  std::map<std::pair<unsigned, bool>, int64_t> knownRuns;
};

} // namespace drumlin

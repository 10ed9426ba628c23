// The steps that choose a GEMM kernel's schedule. The schedule of each candidate differs from the
// cost model's choice in one step.
#pragma once

#include "drumlin/transforms/gemm/GemmCost.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace drumlin {

// One way to compute a GEMM: an algorithm, which operand provides the rows, and the schedule that
// follows from them.
struct GemmAlternative {
  GemmSchedule schedule;
  GemmCost cost;

  // Returns the algorithm and its variants, e.g. `packed`, `packed-swapped` or `packed-panels`.
  std::string name() const;
};

// The axes along which each operand, and the results, are contiguous, while layouts are still being
// chosen.
struct AssumedOrders {
  struct Operand {
    bool alongK = false, alongFree = false;
  } lhs, rhs;
  bool resultsAlongM = false, resultsAlongN = false;

  // Returns a distinct number for each combination of these axes.
  unsigned code() const;
};

class GemmChoice {
public:
  // `kernel` is a plan.gemm, or a plan.kernel of that kind.
  GemmChoice(mlir::Operation *kernel, const CpuTarget &target, Numerics numerics);
  // Chooses a schedule for a dot_general alone. Takes the dimension orders from `orders`, not from
  // a kernel's region.
  GemmChoice(mlir::Operation *hero, const AssumedOrders &orders, const CpuTarget &target,
             Numerics numerics);

  // Returns all promising alternatives, at least one; the first is cheapest and is chosen.
  std::vector<GemmAlternative> alternatives();
  // Makes later calls assume that this operand is stored in the compute unit's panels
  // (GemmPanels.h).
  void assumePanels(GemmOperand operand) { assumedPanels = operand; }
  // Returns the cheapest schedule of an algorithm (target/KernelLayouts.def), or nothing if that
  // algorithm can't compute this GEMM.
  std::optional<GemmAlternative> chooseForced(llvm::StringRef algorithm);
  GemmCost costOf(const GemmSchedule &schedule);
  // Describes the size at which `runnerUp` would be the cheapest, e.g. `from 8 rows of the lhs on`.
  // Returns an empty string if there is no such size.
  std::string turningPoint(const GemmAlternative &runnerUp);

  // Makes the functions below use the sizes that this schedule computes, e.g. the padded size of a
  // dimension that it pads.
  void lookAs(const GemmSchedule &schedule);

  // Returns whether the GEMM has so few MACs that its schedule is a single work item with the least
  // code.
  bool isTiny() const;
  const GemmProblem &shape() const { return problem; }

  // Each function fills in the fields of one algorithm. `schedule` already says which operand
  // provides the rows.
  void schedulePacked(GemmSchedule &schedule);
  void scheduleGemv(GemmSchedule &schedule);
  void scheduleBatchInterleaved(GemmSchedule &schedule);
  void chooseColumnOrder(GemmSchedule &schedule);
  bool scheduleDirect(GemmSchedule &schedule);

  GemmTiles tilesOf(const GemmSchedule &schedule) const { return {schedule, problem}; }
  // Cuts the result into even tiles of at most `largestRows` by `largestColumns`.
  void cutIntoTiles(GemmSchedule &schedule, int64_t largestRows, int64_t largestColumns);
  // Adds one more cut of rows, columns or both if there are so few tiles that threads can't share
  // them evenly.
  void cutEvenly(GemmSchedule &schedule);
  // Chooses the number of tiles per work item from the size of a tile.
  void groupTiles(GemmSchedule &schedule);
  void allowFewerRows(GemmSchedule &schedule, int64_t step);
  // Divides a packed schedule's tiles into items, or sets that they aren't divided.
  void divideTiles(GemmSchedule &schedule);
  void chooseMicroKernel(GemmSchedule &schedule);
  // Chooses the k block so that a panel of packed columns takes at most `panelBytes`.
  void chooseBlock(GemmSchedule &schedule, int64_t panelBytes);

private:
  void divideResults(GemmSchedule &schedule);
  void divideDepth(GemmSchedule &schedule);
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
  bool assumesOrders = false; // true while the layouts of operands aren't chosen yet
  // Results of reads(), computed on demand, by operand, axis, and whether the problem is padded.
  std::map<std::tuple<GemmOperand, GemmAxis, bool>, LaneReads> knownReads;
  std::map<std::pair<unsigned, bool>, int64_t> knownRuns;
};

} // namespace drumlin

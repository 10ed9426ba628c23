// How a GEMM kernel runs: which algorithm, which tiles, which instructions. The plan holds it as an
// attribute of the kernel, which code generation reads.
#pragma once

#include "drumlin/ir/indexing/LaneForm.h"
#include "drumlin/ir/plan/PlanEnums.h"
#include "drumlin/ir/plan/gemm/GemmProblem.h"
#include "drumlin/target/Lanes.h"
#include "mlir/IR/OpImplementation.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace drumlin {

// All that is decided. The algorithms see rows × columns, which are cut into tiles; rows are the
// hero's m and columns its n, or the other way round where `swapped`.
struct GemmSchedule {
  plan::GemmAlgorithm algorithm = plan::GemmAlgorithm::packed;
  // What multiplies and adds.
  ComputeUnit unit = ComputeUnit::fma;
  bool swapped = false;
  // m walks a convolution's innermost output dimension in whole registers
  // (GemmProblem::padInnermost()).
  bool padded = false;
  // Of one tile; where there is more than one, multiples of the lanes.
  int64_t tileRows = 0, tileColumns = 0;
  // Packed and direct, where only the run tells how many rows there are: a run of few has tiles of
  // fewer rows, down to this, so that there are some for several threads. 0: all have `tileRows`.
  int64_t leastTileRows = 0;
  // Tiles that one thread takes at once: small ones aren't worth a hand-over each.
  int64_t tilesPerTask = 1;

  // Packed: terms of k that are packed and multiplied at once.
  int64_t tileDepth = 0;
  // Packed and direct: what the micro-kernel keeps in registers.
  int64_t kernelRows = 0, kernelColumns = 0;
  // How the operands are read: along k, or along their own rows and columns.
  bool rowsAlongK = false, columnsAlongK = false;
  // Packs all of k for a register of columns, whose indices cost much, before the next.
  bool columnsFirst = false;
  // The columns lie in panels already (GemmPanels.h): only rows are packed.
  bool columnsInPanels = false;
  // The columns are multiplied where they lie, each row of k behind the one before: only rows are
  // packed. Where only the run tells how many rows there are, by tiles of few of them.
  bool columnsInPlace = false;
  // How far ahead an operand's memory is asked for; 0: not at all. Counted in what is read at a
  // time: rows of memory where it is packed; elements of k by gemv, k-groups in panels.
  int64_t prefetchRows = 0, prefetchColumns = 0;

  // Gemv: elements that are read at once (a cache line of narrow ones); and what is summed side
  // by side: columns where they are read along k, else terms of k.
  int64_t vectorLanes = lanes, sideBySide = 1;

  bool operator==(const GemmSchedule &) const = default;

  // Gemv: rows that are used once are not worth keeping.
  bool keepsRows() const { return !columnsAlongK || tileColumns > sideBySide; }
  // Neighbouring terms of k that a unit takes at once.
  int64_t kGroup() const { return info(unit).kGroup; }
  // Terms of k that one instruction takes.
  int64_t kPerInstruction() const { return info(unit).kGroup * info(unit).kGroups; }

  // Packed: terms of k whose blocks are added up one after another, before their sum joins those of
  // others. Registers of tiles go on with the sums of the blocks before, and round as much at each
  // step of k.
  int64_t groupDepth() const;

  // `packed, unit = bf16_pairs, tile = [256, 512, 512], kernel = [14, 32], prefetch_columns = 4`
  std::string str() const;
};
llvm::hash_code hash_value(const GemmSchedule &schedule);
// Reads `<…>` around what str() writes.
mlir::FailureOr<GemmSchedule> parseGemmSchedule(mlir::AsmParser &parser);

// A run's tiles are cut smaller until there are so many, or they have the least rows.
constexpr int64_t wantedTiles = 8;

// Steps of k whose sum of floats a stream of gemv makes one after another: each may leave an error
// of half a unit in the last place of the sum so far. Longer sums are those of blocks.
constexpr int64_t stepsOfStream = 256;

// Terms whose sum a register of a direct convolution makes one after another, or as many rows of
// its window as have no more: joining more sums would take time that shows.
constexpr int64_t termsOfDirect = 1024;
struct BlocksOfWindow {
  int64_t rows; // of the window, one for each position along its outer dimensions
  int64_t run;  // terms of a row; all of them, where a block has several rows

  explicit BlocksOfWindow(const WindowRuns &window)
      : rows(std::max<int64_t>(1, termsOfDirect / std::max<int64_t>(window.run, 1))),
        run(std::min(window.run, termsOfDirect)) {}
  int64_t terms() const { return rows * run; }
};

// What of a schedule decides the bits of the results: equal orders give equal bits. Tuning keeps
// it; so a user's choice of another one is a matter of numerics.
struct SumOrder {
  // Neighbouring terms that are multiplied and added at once.
  int64_t terms = 1;
  // Sums of one result, each of every so-manieth term, that are added up in the end.
  int64_t partialSums = 1;
  // Of sums that are made of those of several blocks: the terms of a block; and whether adding one
  // loses nothing.
  int64_t blockTerms = 0;
  bool joinsExactly = false;
  // Of the tiles whose results are combined, where the kernel combines its whole result.
  int64_t tileRows = 0, tileColumns = 0;

  SumOrder(const GemmSchedule &schedule, const GemmProblem &problem);
  bool operator==(const SumOrder &) const = default;
};

// The tiles that a schedule cuts its problem into.
struct GemmTiles {
  Size rows = 0, columns = 0;
  // Of all tiles but the last: fewer than the schedule's where a run has few rows.
  Size tileRows = 0;
  Size rowTiles = 0, columnTiles = 0;
  Size tiles = 0; // of the whole problem: batch × rowTiles × columnTiles
  Size tasks = 0; // of tilesPerTask each

  GemmTiles(const GemmSchedule &schedule, const GemmProblem &problem);
};

// Returns whether a tile is so little work, over so many terms, that calls of routines count: with
// full effort these are inlined.
bool isTooLittleForCalls(const GemmSchedule &schedule, const GemmTiles &tiles, const Size &depth);

// What a kernel does that runs by a schedule.
struct GemmCounts {
  int64_t multiplyAdds = 0;          // with the remainders of tiles and registers
  double lhsReads = 0, rhsReads = 0; // elements of the operands that are asked for
  int64_t transposedBytes = 0;       // that are reordered while packing
};
GemmCounts gemmCounts(const GemmSchedule &schedule, const GemmProblem &problem);

// What keeps a schedule from being one of the problem's, for a target with registers of so many
// elements of the sums' type (0: any target); empty where nothing does.
std::string findScheduleFault(const GemmSchedule &schedule, const GemmProblem &problem,
                              int64_t registerLanes = 0);

// The problem as the schedule sees it, with a padded dimension where it pads one.
GemmProblem scheduledProblem(mlir::Operation *hero, const GemmSchedule &schedule);

} // namespace drumlin

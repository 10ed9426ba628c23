// How a GEMM kernel runs: its algorithm, tiles and instructions. The plan stores the schedule as an
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

// All decisions of a schedule. The algorithms compute a result of rows × columns, which is divided
// into tiles. Rows are the hero's m and columns its n, or the reverse if `swapped`.
struct GemmSchedule {
  plan::GemmAlgorithm algorithm = plan::GemmAlgorithm::packed;
  // The unit that multiplies and adds.
  ComputeUnit unit{}; // fma
  bool swapped = false;
  // Whether a convolution's innermost output dimension in m is padded to full registers
  // (GemmProblem::padInnermost()).
  bool padded = false;
  // Size of one tile: a multiple of the number of lanes if there are several tiles.
  int64_t tileRows = 0, tileColumns = 0;
  // Packed and direct, if the number of rows is known only at run time: the minimum number of rows
  // of a tile. Runs with few rows use smaller tiles, so that several threads have work. 0: all
  // tiles have `tileRows`.
  int64_t leastTileRows = 0;
  // Packed: size of a work item, a part of a tile. A thread computes neighbouring items of a tile
  // together, so that few threads compute whole tiles, and many threads share them. 0: an item is a
  // task of whole tiles.
  int64_t itemRows = 0, itemColumns = 0;
  // Packed: number of k elements of a work item, a multiple of `tileDepth`, if threads share long
  // contractions of few results: each item computes the sums of its part of k, and a second step
  // joins them. 0: an item computes all of k.
  int64_t itemDepth = 0;
  // Number of tiles per task. Dispatching each small tile as its own task would cost too much.
  int64_t tilesPerTask = 1;

  // Packed: number of k elements that are packed and multiplied at once.
  int64_t tileDepth = 0;
  // Packed and direct: rows and columns of the block of sums that the micro-kernel keeps in
  // registers.
  int64_t kernelRows = 0, kernelColumns = 0;
  // Whether the lanes that read an operand run along k; if not, they run along rows or columns.
  bool rowsAlongK = false, columnsAlongK = false;
  // Whether the columns of one register are packed for all of k before the columns of the next
  // register are packed. This is for operands whose indices are expensive to compute.
  bool columnsFirst = false;
  // Whether the columns are in panels already (GemmPanels.h), so that only rows are packed.
  bool columnsInPanels = false;
  // Whether the columns are multiplied in place, one k element after another, so that only rows are
  // packed. If the number of rows is known only at run time, this applies only to tiles of few
  // rows.
  bool columnsInPlace = false;
  // Prefetch distances of the operands; 0: no prefetch. The unit of the distances is a row of
  // memory while packing, a k element in gemv, and a k-group in panels.
  int64_t prefetchRows = 0, prefetchColumns = 0;

  // Gemv: `vectorLanes` is the number of elements that are read at once (a cache line of narrow
  // elements). `sideBySide` is the number of sums that are computed concurrently. If columns are
  // read along k, each sum belongs to a different column; otherwise, each sum adds different k
  // elements.
  int64_t vectorLanes = lanes, sideBySide = 1;

  bool operator==(const GemmSchedule &) const = default;

  // Gemv: whether rows are kept in memory; rows that are used once are not worth keeping.
  bool keepsRows() const { return !columnsAlongK || tileColumns > sideBySide; }
  // Returns the size of the k-group, which consists of the neighbouring k elements that a unit
  // reads at once.
  int64_t kGroup() const { return info(unit).kGroup; }
  // Returns the number of k elements that one instruction multiplies.
  int64_t kPerInstruction() const { return info(unit).kGroup * info(unit).kGroups; }

  // Packed: returns the number of k elements in a group of blocks. The blocks of a group are added
  // one after another before the group's sum is joined with the sums of other groups. Units with
  // tile registers accumulate several blocks in them, and round at each step of k.
  int64_t groupDepth() const;

  // Returns a text such as `packed, unit = bf16_pairs, tile = [256, 512, 512], kernel = [14, 32],
  // prefetch_columns = 4`.
  std::string str() const;
};
llvm::hash_code hash_value(const GemmSchedule &schedule);
// Parses `<…>` around the text of str().
mlir::FailureOr<GemmSchedule> parseGemmSchedule(mlir::AsmParser &parser);

// Desired number of tiles of a run. Tiles are made smaller to reach it, down to `leastTileRows`.
constexpr int64_t wantedTiles = 8;

// Maximum number of k steps that gemv adds one after another in floating point. Each step may add
// an error of half a unit in the last place of the sum so far. Longer sums are split into blocks.
constexpr int64_t stepsOfStream = 256;

// Maximum number of window elements that a register of a direct convolution adds one after another,
// in complete rows of the window if possible. With a smaller maximum, joining the sums of blocks
// would take noticeable time.
constexpr int64_t termsOfDirect = 1024;
struct BlocksOfWindow {
  int64_t rows; // rows of the window, one for each position along its outer dimensions
  int64_t run;  // elements of a row; all elements if a block has several rows

  explicit BlocksOfWindow(const WindowRuns &window)
      : rows(std::max<int64_t>(1, termsOfDirect / std::max<int64_t>(window.run, 1))),
        run(std::min(window.run, termsOfDirect)) {}
  int64_t terms() const { return rows * run; }
};

// The decisions of a schedule that determine the bits of the results: schedules of equal SumOrder
// give equal bits. Tuning keeps the SumOrder. Only a user's choice of another schedule may change
// it.
struct SumOrder {
  // Number of neighbouring k elements that are multiplied and added at once.
  int64_t terms = 1;
  // Number of partial sums per result, over interleaved k elements, that are added at the end.
  int64_t partialSums = 1;
  // If sums are split into blocks: the number of k elements in a block, and whether joining blocks
  // adds no rounding error.
  int64_t blockTerms = 0;
  bool joinsExactly = false;
  // Sizes of the tiles whose results are combined, if the kernel reduces all elements of its
  // result.
  int64_t tileRows = 0, tileColumns = 0;
  int64_t itemDepth = 0; // number of k elements whose sum an item computes; 0: all

  SumOrder(const GemmSchedule &schedule, const GemmProblem &problem);
  bool operator==(const SumOrder &) const = default;
};

// The tiles into which a schedule divides its problem.
struct GemmTiles {
  Size rows = 0, columns = 0;
  // Number of rows of each tile but the last. It is smaller than the schedule's `tileRows` if a run
  // has few rows.
  Size tileRows = 0;
  Size rowTiles = 0, columnTiles = 0;
  Size tiles = 0; // number of tiles of the whole problem: batch × rowTiles × columnTiles
  // Number of items of a tile along its rows and along its columns; 1 if tiles aren't divided.
  int64_t rowItems = 1, columnItems = 1;
  int64_t depthItems = 1; // number of parts of k, each of which is computed by its own items
  Size tasks = 0;         // number of items, or of tasks of tilesPerTask tiles each

  GemmTiles(const GemmSchedule &schedule, const GemmProblem &problem);
};

// Returns whether a tile that multiplies `depth` elements of k has so little work that calls of
// precompiled routines take noticeable time. Full code effort inlines these routines.
bool isTooLittleForCalls(const GemmSchedule &schedule, const GemmTiles &tiles, const Size &depth);

// The work of a kernel under a schedule.
struct GemmCounts {
  int64_t multiplyAdds = 0;          // including padding of tiles and registers
  double lhsReads = 0, rhsReads = 0; // number of reads of operand elements
  int64_t transposedBytes = 0;       // bytes that are reordered while packing
};
GemmCounts gemmCounts(const GemmSchedule &schedule, const GemmProblem &problem);

// Returns why a schedule doesn't fit the problem on a target with registers of `registerLanes`
// elements of the sums' type (0: any target); empty if it fits.
std::string findScheduleFault(const GemmSchedule &schedule, const GemmProblem &problem,
                              int64_t registerLanes = 0);

// Returns the problem with its innermost dimension padded if the schedule pads it.
GemmProblem scheduledProblem(mlir::Operation *hero, const GemmSchedule &schedule);

} // namespace drumlin

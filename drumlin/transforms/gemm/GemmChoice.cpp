#include "drumlin/transforms/gemm/GemmChoice.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/gemm/GemmPanels.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/Cost.h"
#include "drumlin/target/ComputeUnits.h"

#include <cmath>

using namespace mlir;

namespace drumlin {

using plan::GemmAlgorithm;

// A GEMM with fewer MACs than this is a single work item with the least code.
static constexpr int64_t tinyProducts = 16 * 1024;
// Minimum MACs per work item. Smaller tiles are grouped.
static constexpr int64_t taskProducts = 256 * 1024;
// Rows per tile of `gemv`: the usual number, and the maximum, which applies with at least
// `manyColumns` columns.
static constexpr int64_t gemvRows = 4, maxGemvRows = 8, manyColumns = 256;
// Maximum rows for `gemv`.
static constexpr int64_t fewRows = 32;
// With at most this many MACs, k elements are added one by one, unless k is a multiple of 4.
static constexpr int64_t leastCodeProducts = 4096;
// An operand of more bytes than this is assumed to be beyond L2.
static constexpr int64_t farBytes = 1024 * 1024;
static constexpr int64_t lineBytes = 64;
// Prefetch distances for memory beyond L2. Packing reads runs of 1 or 2 KB and prefetches a few
// runs ahead. Micro-kernels read panels, and gemv along k reads rows, as streams: they prefetch a
// few KB ahead.
static constexpr int64_t packingPrefetch = 4, panelPrefetch = 64, gemvPrefetch = 512;
// Maximum factor by which a problem is scaled to find the size at which another schedule is chosen.
static constexpr int64_t maxFactor = 64;

static int64_t ceilDivide(int64_t x, int64_t by) { return (x + by - 1) / by; }
static int64_t roundUp(int64_t x, int64_t to) { return ceilDivide(x, to) * to; }

GemmChoice::GemmChoice(Operation *kernel, const CpuTarget &target, Numerics numerics)
    : target(target), numerics(numerics), problem(contractionOf(kernel->getRegion(0).front())) {}

unsigned AssumedOrders::code() const {
  unsigned code = 0;
  for (bool each :
       {lhs.alongK, lhs.alongFree, rhs.alongK, rhs.alongFree, resultsAlongM, resultsAlongN}) {
    code = 2 * code + (each ? 1 : 0);
  }
  return code;
}

GemmChoice::GemmChoice(Operation *hero, const AssumedOrders &orders, const CpuTarget &target,
                       Numerics numerics)
    : target(target), numerics(numerics), problem(hero), assumesOrders(true) {
  for (auto operand : {GemmOperand::Lhs, GemmOperand::Rhs}) {
    const AssumedOrders::Operand &lies = operand == GemmOperand::Lhs ? orders.lhs : orders.rhs;
    for (auto [axis, isRun] :
         {std::pair(GemmAxis::Depth, lies.alongK), std::pair(GemmAxis::Free, lies.alongFree),
          std::pair(GemmAxis::Batch, false)}) {
      LaneReads &made = knownReads[{operand, axis, false}];
      (isRun ? made.loads : made.gathers) = 1;
      made.narrowestBytes = static_cast<int64_t>(
          storageBytes(elementTypeOf(getElementTypeOrSelf(problem.value(operand)))));
    }
  }
  knownRuns[{0, false}] = 0;
  knownRuns[{1, false}] = orders.resultsAlongM ? 1 : 0;
  knownRuns[{2, false}] = orders.resultsAlongN ? 1 : 0;
}

const LaneReads &GemmChoice::reads(GemmOperand operand, GemmAxis axis) {
  auto [at, isNew] = knownReads.try_emplace({operand, axis, problem.innermost != 0});
  if (isNew) {
    at->second = readsAlong(problem, operand, axis);
  }
  return at->second;
}

int64_t GemmChoice::runsStored(unsigned axis) {
  auto [at, isNew] = knownRuns.try_emplace({axis, problem.innermost != 0});
  if (isNew) {
    at->second = contiguousResults(problem, axis);
  }
  return at->second;
}

ComputeUnit GemmChoice::fastestUnit() const {
  ComputeUnit fastest = ComputeUnit::fma;
  for (const ComputeUnitInfo &each : computeUnits()) {
    bool isFaster = target.operationsPerSecond(each.unit) > target.operationsPerSecond(fastest);
    if (isFaster && target.has(each.unit) && each.isAllowed(numerics) &&
        problem.mayUse(each.unit)) {
      fastest = each.unit;
    }
  }
  return fastest;
}

bool GemmChoice::isTiny() const {
  return problem.batch * problem.m * problem.n * problem.k <= tinyProducts;
}

//===- tiles ----------------------------------------------------------------------===//

// Returns the size of even tiles of `total`: a multiple of the register width, at most `largest`
// but at least one register. If `isOpen`, the total is known only at run time, so no tile may take
// all of it.
static int64_t cut(int64_t total, int64_t largest, bool isOpen) {
  constexpr auto width = int64_t{lanes};
  int64_t tiles = std::max<int64_t>(ceilDivide(total, largest), 1);
  if (tiles == 1) {
    return isOpen ? std::max(total / width, int64_t(1)) * width : total;
  }
  return roundUp(ceilDivide(total, tiles), width);
}

// Return whether the number of rows, or of columns, is known only at run time.
static bool hasOpenRows(const GemmProblem &problem, const GemmSchedule &schedule) {
  return !problem.size(schedule.swapped ? GemmProblem::N : GemmProblem::M).constant();
}
static bool hasOpenColumns(const GemmProblem &problem, const GemmSchedule &schedule) {
  return !problem.size(schedule.swapped ? GemmProblem::M : GemmProblem::N).constant();
}

void GemmChoice::groupTiles(GemmSchedule &schedule) {
  int64_t products = schedule.tileRows * schedule.tileColumns * std::max<int64_t>(problem.k, 1);
  int64_t perTask = ceilDivide(taskProducts, std::max<int64_t>(products, 1));
  schedule.tilesPerTask = std::max<int64_t>(std::min(perTask, tilesOf(schedule).tiles.nominal), 1);
}

// If the number of rows is known only at run time, sets the minimum rows of a tile that is worth a
// work item, a multiple of `step`.
void GemmChoice::allowFewerRows(GemmSchedule &schedule, int64_t step) {
  int64_t products = step * schedule.tileColumns * std::max<int64_t>(problem.k, 1);
  int64_t least = step * std::max<int64_t>(ceilDivide(taskProducts, products), 1);
  bool isAllowed = hasOpenRows(problem, schedule) && schedule.tilesPerTask == 1;
  schedule.leastTileRows = isAllowed && least < schedule.tileRows ? least : 0;
}

void GemmChoice::cutIntoTiles(GemmSchedule &schedule, int64_t largestRows, int64_t largestColumns) {
  GemmTiles whole = tilesOf(schedule);
  schedule.tileRows = cut(whole.rows.nominal, largestRows, hasOpenRows(problem, schedule));
  schedule.tileColumns =
      cut(whole.columns.nominal, largestColumns, hasOpenColumns(problem, schedule));
  groupTiles(schedule);
}

// Returns whether `tiles` can be divided about evenly among two threads, and also among four.
static bool areEven(int64_t tiles) {
  return 10 * roundUp(tiles, 2) <= 11 * tiles && 8 * roundUp(tiles, 4) <= 9 * tiles;
}

// Makes one more cut of rows, columns or both if there are so few tiles that threads can't share
// them evenly. Of 9 tiles, one of two threads gets 5: a square GEMM of size 764 takes 10 % longer
// than with 12 tiles.
void GemmChoice::cutEvenly(GemmSchedule &schedule) {
  constexpr int64_t few = 16, leastRows = 64; // leastRows: minimum rows and columns of a tile
  GemmTiles whole = tilesOf(schedule);
  if (whole.tiles.nominal < few / 2 || whole.tiles.nominal >= few || areEven(whole.tiles.nominal) ||
      hasSymbolicSizes(problem.result.getType())) {
    return;
  }
  GemmSchedule best = schedule;
  int64_t fewest = whole.tiles.nominal * 3 / 2 + 1; // more tiles would pack operands more often
  for (auto [rows, columns] : {std::pair(1, 0), std::pair(0, 1), std::pair(1, 1)}) {
    GemmSchedule tried = schedule;
    cutIntoTiles(tried, ceilDivide(whole.rows.nominal, whole.rowTiles.nominal + rows),
                 ceilDivide(whole.columns.nominal, whole.columnTiles.nominal + columns));
    int64_t tiles = tilesOf(tried).tiles.nominal;
    bool isWorth = tried.tileRows >= leastRows && tried.tileColumns >= leastRows &&
                   tried.tileRows * tried.tileColumns * problem.k > taskProducts;
    if (isWorth && areEven(tiles) && tiles < fewest) {
      best = tried;
      fewest = tiles;
    }
  }
  schedule = best;
}

//===- gemv -----------------------------------------------------------------------===//

void GemmChoice::scheduleGemv(GemmSchedule &schedule) {
  bool tiny = isTiny();
  schedule.algorithm = GemmAlgorithm::gemv;
  schedule.unit = ComputeUnit::fma;
  GemmTiles whole = tilesOf(schedule);
  schedule.tileRows =
      std::min(whole.rows.nominal, whole.columns.nominal >= manyColumns ? maxGemvRows : gemvRows);
  GemmOperand columns = schedule.swapped ? GemmOperand::Lhs : GemmOperand::Rhs;
  LaneReads alongK = reads(columns, GemmAxis::Depth), alongFree = reads(columns, GemmAxis::Free);
  // With fewer columns than lanes, some lanes along columns would be unused.
  schedule.columnsAlongK =
      alongK.cost() < alongFree.cost() ||
      (alongK.cost() == alongFree.cost() && whole.columns.nominal < static_cast<int64_t>(lanes));
  // Narrow elements are read a cache line at a time if enough registers are free for their
  // accumulators. Small problems are faster with less code.
  int64_t bytes = (schedule.columnsAlongK ? alongK : alongFree).narrowestBytes;
  int64_t maxRows = schedule.columnsAlongK ? 2 : 4;
  if (bytes != 0 && schedule.tileRows <= maxRows &&
      problem.k * whole.columns.nominal * bytes > target.l1Bytes) {
    schedule.vectorLanes = std::clamp<int64_t>(lineBytes / bytes, lanes, 2 * lanes);
  }
  // If the elements of a row are contiguous, a tile reads 1 or 2 KB of each row at once. If those
  // of a column are contiguous (along k), it reads whole columns.
  int64_t least = ceilDivide(taskProducts / 4, std::max<int64_t>(problem.k * schedule.tileRows, 1));
  int64_t largest =
      tiny ? whole.columns.nominal
           : std::max<int64_t>(schedule.columnsAlongK ? 256 : 512, roundUp(least, lanes));
  schedule.tileColumns =
      cut(whole.columns.nominal, std::max<int64_t>(largest, 1), hasOpenColumns(problem, schedule));
  if (schedule.columnsAlongK) {
    int64_t perSum = schedule.vectorLanes / sumLanes();
    int64_t sumsAtOnce = (target.vectorRegisters() - 6) / perSum;
    int64_t most = std::clamp<int64_t>(schedule.tileColumns, 1, 8);
    schedule.sideBySide =
        std::clamp<int64_t>(sumsAtOnce / std::max<int64_t>(schedule.tileRows, 1), 1, most);
  } else if (problem.batch * problem.m * problem.n * problem.k <= leastCodeProducts) {
    schedule.sideBySide = problem.k % 4 == 0 ? 4 : 1;
  } else {
    schedule.sideBySide = schedule.tileRows <= 2 ? 8 : schedule.tileRows <= 4 ? 4 : 2;
  }
  if (problem.k * whole.columns.nominal * 2 > farBytes) {
    schedule.prefetchColumns = schedule.columnsAlongK ? gemvPrefetch : schedule.sideBySide;
  }
  groupTiles(schedule);
  if (tiny) {
    schedule.tilesPerTask = std::max<int64_t>(tilesOf(schedule).tiles.nominal, 1);
  }
}

//===- packed and direct ----------------------------------------------------------===//

// Chooses the micro-kernel, of at most `most` rows, that takes the least time for a block of `rows`
// rows and the tile's columns. Each call costs about as much as one row. Loading a register of
// columns from L2 takes as long as three MACs, and longer row segments are read faster from memory.
void GemmChoice::chooseMicroKernel(GemmSchedule &schedule, int64_t rows, int64_t most, bool isFar) {
  int64_t perVector = schedule.columnsInPlace ? 3 : 0, maxVectors = schedule.columnsInPlace ? 6 : 3;
  int64_t width = sumLanes(), best = 0;
  int64_t minVectors = isFar ? std::min<int64_t>(target.vectorRegisters() / 8, 4) : 1;
  for (int64_t vectors = minVectors; vectors <= maxVectors; ++vectors) {
    int64_t maxRows = std::min(maxMicroKernelRows(target, vectors), most);
    int64_t across = ceilDivide(schedule.tileColumns, vectors * width);
    int64_t step = info(schedule.unit).rows;
    for (int64_t kernelRows = step; kernelRows <= std::max(maxRows, step); kernelRows += step) {
      GemmSchedule tried = schedule;
      tried.kernelRows = kernelRows;
      tried.kernelColumns = vectors * width;
      double products = countedPorts * microKernelOf(tried, problem, target).cycles();
      auto eighths = static_cast<int64_t>(std::lround(8 * products)) + 8 * vectors * perVector;
      int64_t cost = ceilDivide(rows, kernelRows) * across * (eighths + 8);
      if (best == 0 || cost <= best) {
        best = cost;
        schedule.kernelRows = tried.kernelRows;
        schedule.kernelColumns = tried.kernelColumns;
      }
    }
  }
}

// For compute units with tiles: chooses the micro-kernel shape that takes the least time: that of
// its loads or of its multiplies, whichever is longer.
void GemmChoice::chooseTileKernel(GemmSchedule &schedule) {
  static constexpr std::pair<int64_t, int64_t> shapes[] = {{2, 2}, {1, 3}, {3, 1},
                                                           {1, 2}, {2, 1}, {1, 1}};
  int64_t size = info(schedule.unit).rows, best = 0;
  for (auto [rows, columns] : shapes) {
    int64_t calls = ceilDivide(schedule.tileRows, rows * size) *
                    ceilDivide(schedule.tileColumns, columns * size);
    int64_t cost = calls * std::max(rows * columns * 16, (rows + columns) * 8);
    if (best == 0 || cost < best) {
      best = cost;
      schedule.kernelRows = rows * size;
      schedule.kernelColumns = columns * size;
    }
  }
}

void GemmChoice::chooseMicroKernel(GemmSchedule &schedule) {
  if (info(schedule.unit).hasTiles()) {
    chooseTileKernel(schedule);
    return;
  }
  chooseMicroKernel(schedule, schedule.tileRows, std::numeric_limits<int64_t>::max());
}

// Maximum number of k-groups added to one accumulator if each addition rounds. The second limit is
// for results that fit in a single micro-kernel: adding up the sums of several k blocks is then
// cheap.
static constexpr int64_t mostInOneSum = 512, mostInSmallSum = 128;

void GemmChoice::chooseBlock(GemmSchedule &schedule, int64_t panelBytes) {
  int64_t depth = panelBytes / (schedule.kernelColumns * problem.sumBytes());
  if (isFloat(problem.sumType) && !info(schedule.unit).hasTiles()) {
    bool isSmall =
        schedule.tileRows <= schedule.kernelRows && schedule.tileColumns <= schedule.kernelColumns;
    depth = std::min(depth, isSmall ? mostInSmallSum : mostInOneSum);
  }
  if (problem.contractsOpenSize()) {
    schedule.tileDepth = std::max<int64_t>(depth / lanes * lanes, lanes) * schedule.kGroup();
    return;
  }
  int64_t units = ceilDivide(problem.k, schedule.kGroup());
  int64_t width = lanes;
  int64_t blocks = ceilDivide(units, std::max<int64_t>(depth / width * width, width));
  int64_t block =
      std::max<int64_t>(roundUp(ceilDivide(units, std::max<int64_t>(blocks, 1)), width), width);
  schedule.tileDepth = block * schedule.kGroup();
}

// Chooses how columns are packed: along k if they are contiguous along k. Otherwise, if their
// indices are expensive to compute, packs all k elements of one register of columns before those of
// the next.
void GemmChoice::chooseColumnOrder(GemmSchedule &schedule) {
  GemmOperand columns = schedule.swapped ? GemmOperand::Lhs : GemmOperand::Rhs;
  int64_t alongFree = reads(columns, GemmAxis::Free).cost();
  schedule.columnsAlongK = reads(columns, GemmAxis::Depth).cost() < alongFree;
  schedule.columnsFirst = !schedule.columnsAlongK && alongFree > 8;
}

// Returns whether a direct kernel can compute the GEMM: each window of a convolution is a
// contiguous run of its input, the outputs along the last dimension fill a micro-kernel, and the
// convolution's kernel fits in the cache.
bool GemmChoice::scheduleDirect(GemmSchedule &schedule) {
  std::optional<WindowRuns> window = problem.windowRuns();
  constexpr int64_t fewestOutputs = 8, nearBytes = 256 * 1024;
  int64_t sumBytes = problem.sumType == ElementType::F64 ? 8 : 4, width = lanes;
  if (!window || schedule.unit != ComputeUnit::fma || window->outputs < fewestOutputs ||
      window->step >= problem.k) {
    return false;
  }
  GemmTiles whole = tilesOf(schedule);
  int64_t maxColumns = nearBytes / (problem.k * sumBytes) / width * width;
  if (maxColumns < std::min<int64_t>(whole.columns.nominal, 2 * width)) {
    return false;
  }
  // Adds rows of outputs to the tile until it has a few hundred outputs, as long as its input fits
  // in the cache.
  int64_t outputRows = whole.rows.nominal / window->outputs;
  int64_t rowBytes = window->outer * (window->rowElements + 2 * width) * sumBytes;
  if (rowBytes > nearBytes) {
    return false;
  }
  int64_t most = std::max<int64_t>(std::min(256 / window->outputs, nearBytes / rowBytes), 1);
  most = std::min(most, ceilDivide(outputRows, 8));
  schedule.algorithm = GemmAlgorithm::direct;
  chooseColumnOrder(schedule);
  schedule.tileRows = most * window->outputs;
  schedule.tileColumns = cut(whole.columns.nominal, maxColumns, hasOpenColumns(problem, schedule));
  chooseMicroKernel(schedule, window->outputs, window->outputs);
  groupTiles(schedule);
  allowFewerRows(schedule, window->outputs);
  return true;
}

void GemmChoice::schedulePacked(GemmSchedule &schedule) {
  schedule.algorithm = GemmAlgorithm::packed;
  GemmOperand rows = schedule.swapped ? GemmOperand::Rhs : GemmOperand::Lhs;
  schedule.rowsAlongK = reads(rows, GemmAxis::Depth).cost() <= reads(rows, GemmAxis::Free).cost();
  chooseColumnOrder(schedule);
  GemmTiles whole = tilesOf(schedule);
  schedule.prefetchRows = problem.k * whole.rows.nominal * 2 > farBytes ? packingPrefetch : 0;
  schedule.prefetchColumns = problem.k * whole.columns.nominal * 2 > farBytes ? packingPrefetch : 0;

  // Tiles have up to 256 × 512 elements. They are made smaller as long as there are too few tiles
  // to share evenly among threads.
  int64_t largestRows = 256, largestColumns = 512;
  cutIntoTiles(schedule, largestRows, largestColumns);
  while (tilesOf(schedule).tiles.nominal < 8 && largestColumns > 64 &&
         schedule.tileRows * schedule.tileColumns * problem.k > 2 * taskProducts) {
    int64_t &larger = schedule.tileRows > schedule.tileColumns ? largestRows : largestColumns;
    // No tile may have fewer rows or columns than lanes.
    if (larger <= static_cast<int64_t>(lanes)) {
      break;
    }
    larger /= 2;
    cutIntoTiles(schedule, largestRows, largestColumns);
  }
  cutEvenly(schedule);
  chooseMicroKernel(schedule);
  // One panel of packed columns fills L1.
  chooseBlock(schedule, target.l1Bytes);
}

// Size of the items into which tiles are divided, unless these are too little work.
static constexpr int64_t usualItemRows = 64, usualItemColumns = 128;

void GemmChoice::divideTiles(GemmSchedule &schedule) {
  schedule.itemRows = schedule.itemColumns = schedule.itemDepth = 0;
  if (schedule.algorithm != GemmAlgorithm::packed || schedule.tilesPerTask != 1 ||
      hasSymbolicSizes(problem.result.getType()) || problem.contractsOpenSize() ||
      problem.combinesResults()) {
    return;
  }
  if (!assumesOrders) {
    divideResults(schedule);
  }
  divideDepth(schedule);
}

// Divides k into parts that different items compute, if the results are too few for many threads.
// That the sums of the parts are stored, loaded and joined takes at most 3 % of the time if a part
// has `leastTerms` k elements, as long as the sums stay in L2. The parts depend on the shape alone,
// so that schedules of different tiles add up in the same order.
void GemmChoice::divideDepth(GemmSchedule &schedule) {
  constexpr int64_t wantedItems = 16, leastTerms = 512, leastProducts = 1024 * 1024;
  constexpr int64_t mostBytes = 1024 * 1024;
  // Dots of fewer rows or columns are split before their layouts, and so their algorithms, are
  // chosen (SplitContractions).
  if (!isFloat(problem.sumType) || std::min(problem.m, problem.n) <= maxGemvRows) {
    return;
  }
  int64_t results = multiplySaturating(problem.batch, multiplySaturating(problem.m, problem.n));
  int64_t items = multiplySaturating(problem.batch,
                                     multiplySaturating(ceilDivide(problem.m, usualItemRows),
                                                        ceilDivide(problem.n, usualItemColumns)));
  int64_t bytes = std::max<int64_t>(multiplySaturating(results, problem.sumBytes()), 1);
  int64_t parts =
      std::min({wantedItems / std::max<int64_t>(items, 1), problem.k / leastTerms,
                multiplySaturating(results, problem.k) / leastProducts, mostBytes / bytes});
  if (parts < 2) {
    return;
  }
  int64_t terms = roundUp(ceilDivide(problem.k, parts), schedule.tileDepth);
  if (terms >= problem.k) {
    return;
  }
  schedule.itemDepth = terms;
  if (schedule.itemRows == 0) {
    schedule.itemRows = schedule.tileRows;
    schedule.itemColumns = schedule.tileColumns;
  }
}

// Divides tiles into items of the usual size, or larger ones. More threads than there are tiles can
// then share the kernel.
void GemmChoice::divideResults(GemmSchedule &schedule) {
  auto part = [](int64_t tile, int64_t pieces) {
    return std::min(roundUp(ceilDivide(tile, pieces), lanes), tile);
  };
  int64_t rowPieces = ceilDivide(schedule.tileRows, usualItemRows);
  int64_t columnPieces = ceilDivide(schedule.tileColumns, usualItemColumns);
  while (rowPieces * columnPieces > 1) {
    const int64_t rows = part(schedule.tileRows, rowPieces);
    const int64_t columns = part(schedule.tileColumns, columnPieces);
    if (rows * columns * problem.k >= taskProducts) {
      schedule.itemRows = rows;
      schedule.itemColumns = columns;
      return;
    }
    int64_t &more = rowPieces > columnPieces ? rowPieces : columnPieces;
    more = ceilDivide(more, 2);
  }
}

//===- batch interleaved ----------------------------------------------------------===//

// Returns whether this is many small GEMMs whose operands are all contiguous along the batch, e.g.
// a depthwise convolution.
bool GemmChoice::lieBatchInterleaved() {
  if (problem.batch < static_cast<int64_t>(lanes) || problem.m * problem.n * problem.k == 0 ||
      hasSymbolicSizes(problem.result.getType()) || problem.contractsOpenSize() ||
      std::min(problem.m, problem.n) > gemvRows) {
    return false;
  }
  auto cost = [&](GemmAxis axis) {
    return reads(GemmOperand::Lhs, axis).cost() + reads(GemmOperand::Rhs, axis).cost();
  };
  return runsStored(0) > 0 &&
         cost(GemmAxis::Batch) <= std::min(cost(GemmAxis::Free), cost(GemmAxis::Depth));
}

void GemmChoice::scheduleBatchInterleaved(GemmSchedule &schedule) {
  schedule.algorithm = GemmAlgorithm::batch_interleaved;
  schedule.unit = ComputeUnit::fma;
  GemmTiles whole = tilesOf(schedule);
  int64_t products = problem.batch * problem.k * whole.columns.nominal;
  int64_t largest = std::max(ceilDivide(taskProducts, std::max<int64_t>(products, 1)),
                             ceilDivide(whole.rows.nominal, 256));
  schedule.tileRows = std::min(largest, whole.rows.nominal);
  schedule.tileColumns = whole.columns.nominal;
}

//===- the choice -----------------------------------------------------------------===//

std::string GemmAlternative::name() const {
  return plan::stringifyGemmAlgorithm(schedule.algorithm).str() +
         (schedule.swapped ? "-swapped" : "") + (schedule.columnsInPanels ? "-panels" : "") +
         (schedule.columnsInPlace ? "-in-place" : "");
}

GemmCost GemmChoice::costOf(const GemmSchedule &schedule) {
  GemmAxis rowAxis = schedule.rowsAlongK ? GemmAxis::Depth : GemmAxis::Free;
  GemmAxis columnAxis = schedule.columnsAlongK ? GemmAxis::Depth : GemmAxis::Free;
  bool isInterleaved = schedule.algorithm == GemmAlgorithm::batch_interleaved;
  if (isInterleaved) {
    rowAxis = columnAxis = GemmAxis::Batch;
  } else if (schedule.algorithm != GemmAlgorithm::packed) {
    rowAxis = GemmAxis::Depth;
  }
  GemmReads met;
  met.rows = reads(schedule.swapped ? GemmOperand::Rhs : GemmOperand::Lhs, rowAxis);
  met.columns = reads(schedule.swapped ? GemmOperand::Lhs : GemmOperand::Rhs, columnAxis);
  met.storesRuns = runsStored(isInterleaved ? 0 : schedule.swapped ? 1 : 2) > 0;
  met.transposesResults = transposesResults(schedule, problem, runsStored(schedule.swapped ? 2 : 1),
                                            runsStored(schedule.swapped ? 1 : 2));
  // The number of rows is dynamic, so it may be large whatever its nominal value.
  GemmSchedule priced = schedule;
  priced.columnsInPlace = schedule.columnsInPlace && !hasOpenRows(problem, schedule);
  return predictCost(priced, problem, met, target);
}

void GemmChoice::lookAs(const GemmSchedule &schedule) {
  problem.unpadInnermost();
  if (schedule.padded) {
    problem.padInnermost();
  }
}

// Inserts an alternative after those of equal cost.
void GemmChoice::add(const GemmSchedule &schedule) {
  GemmAlternative made{schedule, costOf(schedule)};
  divideTiles(made.schedule);
  auto isDearer = [&](const GemmAlternative &other) {
    return made.cost.total() < other.cost.total();
  };
  found.insert(llvm::find_if(found, isDearer), made);
}

// Returns whether to pad the innermost dimension: only if lanes run along m (swapped operands) and
// padding saves time. Padding doesn't save time if the padded results aren't contiguous.
bool GemmChoice::pad(bool swapped) {
  if (!swapped || !problem.padInnermost()) {
    return false;
  }
  bool isWorthIt = runsStored(1) > 0;
  if (!isWorthIt) {
    problem.unpadInnermost();
  }
  return isWorthIt;
}

void GemmChoice::addBatchInterleaved() {
  if (lieBatchInterleaved()) {
    GemmSchedule schedule;
    scheduleBatchInterleaved(schedule);
    add(schedule);
  }
}

void GemmChoice::addGemv(bool swapped) {
  GemmSchedule schedule;
  schedule.swapped = swapped;
  schedule.padded = !isTiny() && pad(swapped);
  scheduleGemv(schedule);
  add(schedule);
  problem.unpadInnermost();
}

bool GemmChoice::liesInPanels(GemmOperand operand, ComputeUnit unit) {
  return assumedPanels ? operand == *assumedPanels
                       : panelsOf(problem, operand, unit, sumLanes()).has_value();
}

bool GemmChoice::mayLieInPlace(const GemmSchedule &schedule) {
  GemmOperand columns = schedule.swapped ? GemmOperand::Lhs : GemmOperand::Rhs;
  return !assumesOrders && !schedule.columnsAlongK && !schedule.columnsFirst &&
         liesInRows(problem, columns, schedule.unit, sumLanes());
}

// Adds a schedule that doesn't pack columns. Columns stored in rows of registers needn't be packed
// if they stay in L2: all columns or, for few rows, the columns of one k block. For very few rows,
// `gemv` has less overhead than this schedule and reads memory equally fast.
void GemmChoice::addInPlace(GemmSchedule schedule) {
  int64_t bytes = problem.k * (schedule.swapped ? problem.m : problem.n) * problem.sumBytes();
  bool isFar = bytes > target.l2Bytes;
  int64_t rows = tilesOf(schedule).rows.nominal;
  if (rows < (isFar ? 2 : gemvRows + 1) || (isFar && rows > maxRowsInPlace) ||
      !mayLieInPlace(schedule)) {
    return;
  }
  schedule.columnsInPlace = true;
  schedule.prefetchColumns = 0;
  chooseMicroKernel(schedule, schedule.tileRows, std::numeric_limits<int64_t>::max(), isFar);
  // The columns of a block fill half of L2, and its packed rows may fill the other half. The rows
  // of a micro-kernel fill L1.
  int64_t wider = std::max(schedule.tileColumns, schedule.tileRows);
  int64_t half = target.l2Bytes / 2 * schedule.kernelColumns / wider;
  chooseBlock(schedule, std::min(4 * target.l1Bytes, half));
  add(schedule);
}

void GemmChoice::addPacked(bool swapped) {
  GemmSchedule schedule;
  schedule.unit = fastestUnit();
  schedule.swapped = swapped;
  schedule.padded = pad(swapped);
  schedulePacked(schedule);
  if (hasOpenRows(problem, schedule)) {
    // Adds a variant whose tiles of few rows read columns in place.
    schedule.columnsInPlace = mayLieInPlace(schedule);
    add(schedule);
    schedule.columnsInPlace = false;
  } else {
    add(schedule);
    addInPlace(schedule);
  }
  if (liesInPanels(swapped ? GemmOperand::Lhs : GemmOperand::Rhs, schedule.unit)) {
    schedule.columnsInPanels = true;
    schedule.prefetchColumns = schedule.prefetchColumns ? panelPrefetch : 0;
    schedule.columnsAlongK = schedule.columnsFirst = false;
    if (schedule.tileRows <= schedule.kernelRows) {
      // Each panel is read exactly once, from beginning to end.
      chooseBlock(schedule, std::numeric_limits<int64_t>::max());
    }
    add(schedule);
  }
  problem.unpadInnermost();
}

void GemmChoice::addDirect() {
  GemmSchedule schedule;
  schedule.unit = fastestUnit();
  if (scheduleDirect(schedule)) {
    add(schedule);
  }
}

std::vector<GemmAlternative> GemmChoice::alternatives() {
  found.clear();
  problem.unpadInnermost();
  bool hasSums = problem.batch * problem.m * problem.n * problem.k != 0;
  // The schedule that is best for a small k is bad for a large k, and this k is dynamic.
  bool hasOpenSums = problem.contractsOpenSize();
  bool isLeast = !hasSums || (!hasOpenSums && isTiny());
  addBatchInterleaved();
  for (bool swapped : {false, true}) {
    if (isLeast || (!hasOpenSums && (swapped ? problem.n : problem.m) <= fewRows)) {
      addGemv(swapped);
    }
    if (hasSums) {
      addPacked(swapped);
    }
  }
  if (hasSums) {
    addDirect();
  }
  return std::move(found);
}

std::optional<GemmAlternative> GemmChoice::chooseForced(StringRef algorithm) {
  found.clear();
  problem.unpadInnermost();
  if (problem.k * problem.batch * problem.m * problem.n == 0) {
    return std::nullopt;
  }
  if (algorithm == "batch_interleaved") {
    addBatchInterleaved();
  } else if (algorithm == "direct") {
    addDirect();
  }
  for (bool swapped : {false, true}) {
    if (algorithm == "gemv") {
      addGemv(swapped);
    } else if (algorithm == "packed") {
      addPacked(swapped);
    }
  }
  return found.empty() ? std::nullopt : std::optional(found.front());
}

std::string GemmChoice::turningPoint(const GemmAlternative &runnerUp) {
  if (problem.isConvolution() || isTiny()) {
    return "";
  }
  bool lhsFirst = problem.m <= problem.n;
  for (int64_t factor = 2; factor <= maxFactor; factor *= 2) {
    for (bool ofLhs : {lhsFirst, !lhsFirst}) {
      int64_t now = ofLhs ? problem.m : problem.n;
      for (int64_t size : {now * factor, now / factor}) {
        GemmChoice other = *this;
        (ofLhs ? other.problem.m : other.problem.n) = size;
        if (size > 0 && other.alternatives().front().name() == runnerUp.name()) {
          return (size < now ? "up to " : "from ") + std::to_string(size) +
                 (ofLhs ? " rows of the lhs" : " columns of the rhs") + (size < now ? "" : " on");
        }
      }
    }
  }
  return "";
}

} // namespace drumlin

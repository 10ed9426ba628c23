#include "drumlin/ir/plan/gemm/GemmSchedule.h"

#include "drumlin/ir/plan/gemm/GemmPanels.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace drumlin {

using plan::GemmAlgorithm;

//===- text -----------------------------------------------------------------------===//

namespace {
// A field of a schedule's text, such as `tile = [256, 512, 64]` or `least_rows = 16`. Fields with
// default values are not printed.
struct NumbersField {
  const char *name;
  SmallVector<int64_t GemmSchedule::*, 3> members;
};
struct FlagField {
  const char *name;
  bool GemmSchedule::*member;
};
} // namespace

static const std::array<NumbersField, 10> numberFields = {{
    {"tile", {&GemmSchedule::tileRows, &GemmSchedule::tileColumns, &GemmSchedule::tileDepth}},
    {"item", {&GemmSchedule::itemRows, &GemmSchedule::itemColumns}},
    {"item_depth", {&GemmSchedule::itemDepth}},
    {"least_rows", {&GemmSchedule::leastTileRows}},
    {"kernel", {&GemmSchedule::kernelRows, &GemmSchedule::kernelColumns}},
    {"vector", {&GemmSchedule::vectorLanes}},
    {"side_by_side", {&GemmSchedule::sideBySide}},
    {"tiles_per_task", {&GemmSchedule::tilesPerTask}},
    {"prefetch_rows", {&GemmSchedule::prefetchRows}},
    {"prefetch_columns", {&GemmSchedule::prefetchColumns}},
}};
static constexpr std::array<FlagField, 7> flagFields = {{
    {"swapped", &GemmSchedule::swapped},
    {"padded", &GemmSchedule::padded},
    {"rows_along_k", &GemmSchedule::rowsAlongK},
    {"columns_along_k", &GemmSchedule::columnsAlongK},
    {"columns_first", &GemmSchedule::columnsFirst},
    {"columns_in_panels", &GemmSchedule::columnsInPanels},
    {"columns_in_place", &GemmSchedule::columnsInPlace},
}};

std::string GemmSchedule::str() const {
  std::string text = stringifyGemmAlgorithm(algorithm).str();
  text += ", unit = " + std::string(info(unit).name);
  GemmSchedule usual;
  for (const NumbersField &field : numberFields) {
    bool isUsual =
        llvm::all_of(field.members, [&](auto member) { return this->*member == usual.*member; });
    if (isUsual) {
      continue;
    }
    std::string numbers;
    for (auto member : field.members) {
      numbers += (numbers.empty() ? "" : ", ") + std::to_string(this->*member);
    }
    text += std::string(", ") + field.name + " = " +
            (field.members.size() == 1 ? numbers : "[" + numbers + "]");
  }
  for (const FlagField &field : flagFields) {
    text += this->*field.member ? std::string(", ") + field.name : "";
  }
  return text;
}

llvm::hash_code hash_value(const GemmSchedule &schedule) {
  return llvm::hash_value(schedule.str());
}

static ParseResult parseField(AsmParser &parser, GemmSchedule &schedule) {
  StringRef name;
  llvm::SMLoc at = parser.getCurrentLocation();
  if (parser.parseKeyword(&name)) {
    return failure();
  }
  if (name == "unit") {
    StringRef word;
    if (parser.parseEqual() || parser.parseKeyword(&word)) {
      return failure();
    }
    const ComputeUnitInfo *unit = findComputeUnit(word);
    if (!unit) {
      return parser.emitError(at, "unknown unit: `") << word << "`";
    }
    schedule.unit = unit->unit;
    return success();
  }
  for (const FlagField &field : flagFields) {
    if (name == field.name) {
      schedule.*field.member = true;
      return success();
    }
  }
  for (const NumbersField &field : numberFields) {
    if (name != field.name) {
      continue;
    }
    SmallVector<int64_t> numbers;
    auto parseNumber = [&]() { return parser.parseInteger(numbers.emplace_back()); };
    if (parser.parseEqual() ||
        (field.members.size() == 1
             ? parseNumber()
             : parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseNumber))) {
      return failure();
    }
    if (numbers.size() != field.members.size()) {
      return parser.emitError(at, "`") << name << "` has " << field.members.size() << " numbers";
    }
    for (auto [member, number] : llvm::zip(field.members, numbers)) {
      schedule.*member = number;
    }
    return success();
  }
  return parser.emitError(at, "a schedule has no field `") << name << "`";
}

FailureOr<GemmSchedule> parseGemmSchedule(AsmParser &parser) {
  StringRef word;
  llvm::SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&word)) {
    return failure();
  }
  std::optional<GemmAlgorithm> algorithm = plan::symbolizeGemmAlgorithm(word);
  if (!algorithm) {
    return parser.emitError(at, "unknown algorithm: `") << word << "`";
  }
  GemmSchedule schedule;
  schedule.algorithm = *algorithm;
  while (succeeded(parser.parseOptionalComma())) {
    if (parseField(parser, schedule)) {
      return failure();
    }
  }
  return parser.parseGreater() ? FailureOr<GemmSchedule>() : schedule;
}

GemmProblem scheduledProblem(Operation *hero, const GemmSchedule &schedule) {
  GemmProblem problem(hero);
  if (schedule.padded) {
    problem.padInnermost();
  }
  return problem;
}

static int64_t ceilDivide(int64_t x, int64_t by) { return (x + by - 1) / by; }
static int64_t roundUp(int64_t x, int64_t to) { return ceilDivide(x, to) * to; }

int64_t GemmSchedule::groupDepth() const {
  constexpr int64_t blocksOfGroup = 32, stepsOfTiles = 4096;
  if (itemDepth != 0) {
    return itemDepth;
  }
  return info(unit).hasTiles() ? roundUp(stepsOfTiles * kGroup(), tileDepth)
                               : blocksOfGroup * tileDepth;
}

// Returns the number of k elements that one accumulator adds before its sum is joined with other
// sums.
static int64_t termsInOneSum(const GemmSchedule &schedule, const GemmProblem &problem) {
  switch (schedule.algorithm) {
  case GemmAlgorithm::gemv:
    return stepsOfStream * (schedule.columnsAlongK ? schedule.vectorLanes : 1);
  case GemmAlgorithm::packed:
    return info(schedule.unit).hasTiles() ? schedule.groupDepth() : schedule.tileDepth;
  case GemmAlgorithm::direct:
    if (std::optional<WindowRuns> runs = problem.windowRuns()) {
      return BlocksOfWindow(*runs).terms();
    }
    return problem.k;
  case GemmAlgorithm::batch_interleaved:
    return stepsOfStream;
  }
  llvm_unreachable("every algorithm is handled above");
}

SumOrder::SumOrder(const GemmSchedule &schedule, const GemmProblem &problem) {
  // Integer sums wrap around, so their order does not matter.
  if (isFloat(problem.sumType)) {
    terms = schedule.kPerInstruction();
    itemDepth = schedule.itemDepth;
    bool isStream = schedule.algorithm == GemmAlgorithm::gemv;
    partialSums = isStream && schedule.columnsAlongK ? schedule.vectorLanes : 1;
    int64_t block = termsInOneSum(schedule, problem);
    if (problem.k > block || problem.contractsOpenSize()) {
      blockTerms = block;
      joinsExactly = schedule.algorithm != GemmAlgorithm::packed;
    }
  }
  if (problem.combinesResults()) {
    tileRows = schedule.tileRows;
    tileColumns = schedule.tileColumns;
  }
}

//===- tiles ----------------------------------------------------------------------===//

// Returns the number of tiles that cover a dimension; 1 for an empty dimension.
static Size tilesAlong(const Size &total, const Size &tile) {
  Size tiles = total.ceilQuotient(tile);
  return tiles.is(0) ? 1 : tiles;
}

GemmTiles::GemmTiles(const GemmSchedule &schedule, const GemmProblem &problem)
    : rows(problem.size(schedule.swapped ? GemmProblem::N : GemmProblem::M)),
      columns(problem.size(schedule.swapped ? GemmProblem::M : GemmProblem::N)),
      tileRows(std::max<int64_t>(schedule.tileRows, 1)),
      columnTiles(tilesAlong(columns, std::max<int64_t>(schedule.tileColumns, 1))) {
  // Lanes of a `batch_interleaved` kernel run along the batch.
  Size batch =
      schedule.algorithm == GemmAlgorithm::batch_interleaved ? 1 : problem.size(GemmProblem::Batch);
  if (int64_t least = schedule.leastTileRows) {
    Size wanted = (batch * rows * columnTiles).ceilQuotient(wantedTiles * least) * least;
    tileRows = Size::smaller(Size::larger(wanted, least), tileRows);
  }
  rowTiles = tilesAlong(rows, tileRows);
  tiles = rows.is(0) || columns.is(0) ? 0 : batch * rowTiles * columnTiles;
  if (schedule.itemRows > 0 && schedule.itemColumns > 0) {
    rowItems = ceilDivide(schedule.tileRows, schedule.itemRows);
    columnItems = ceilDivide(schedule.tileColumns, schedule.itemColumns);
    if (schedule.itemDepth > 0) {
      depthItems = ceilDivide(std::max<int64_t>(problem.k, 1), schedule.itemDepth);
    }
    tasks = tiles * (rowItems * columnItems * depthItems);
  } else {
    tasks = tiles.ceilQuotient(schedule.tilesPerTask);
  }
}

bool isTooLittleForCalls(const GemmSchedule &schedule, const GemmTiles &tiles, const Size &depth) {
  // A tile with fewer MACs takes less than 1 µs. The calls of routines for a tile take about 20 ns.
  constexpr double leastProducts = 1 << 16;
  // A size that is known only at run time is assumed to fill a tile.
  auto inTile = [](int64_t tile, const Size &total) {
    return static_cast<double>(total.constant() ? std::min(tile, total.nominal) : tile);
  };
  double terms = static_cast<double>(depth.constant().value_or(schedule.tileDepth));
  return inTile(schedule.tileRows, tiles.rows) * inTile(schedule.tileColumns, tiles.columns) *
             terms <
         leastProducts;
}

// Returns the sizes of a dimension's tiles, and the number of tiles of each size.
static SmallVector<std::pair<int64_t, int64_t>> sizesOf(const Size &total, const Size &size,
                                                        const Size &tiles) {
  if (tiles.nominal <= 1) {
    return {{total.nominal, 1}};
  }
  Size last = total - (tiles - 1) * size;
  return {{size.nominal, tiles.nominal - 1}, {last.nominal, 1}};
}

namespace {
// The number of operand reads and MACs of one tile of rows × columns.
struct TileCounts {
  int64_t rowReads = 0, columnReads = 0, multiplyAdds = 0;
};
} // namespace

static TileCounts countPacked(const GemmSchedule &schedule, const GemmProblem &problem,
                              int64_t rows, int64_t columns) {
  // Blocks of k are rounded up to full instructions.
  int64_t terms = schedule.kGroup(), perBlock = std::max<int64_t>(schedule.tileDepth, 1);
  int64_t blocks = problem.k / perBlock, remainder = problem.k % perBlock;
  int64_t read = blocks * perBlock + roundUp(remainder, terms);
  int64_t multiplied = blocks * perBlock + roundUp(remainder, schedule.kPerInstruction());
  TileCounts counts;
  counts.rowReads = rows * (schedule.rowsAlongK ? problem.k : read);
  counts.columnReads = columns * (schedule.columnsAlongK ? problem.k : read);
  counts.multiplyAdds =
      roundUp(rows, schedule.kernelRows) * roundUp(columns, schedule.kernelColumns) * multiplied;
  if (problem.movesRows(schedule.unit)) {
    counts.multiplyAdds += roundUp(columns, lanes) * read;
  }
  return counts;
}

static TileCounts countDirect(const GemmSchedule &schedule, const GemmProblem &problem,
                              int64_t rows, int64_t columns) {
  WindowRuns window = *problem.windowRuns();
  int64_t outputRows = rows / window.outputs;
  TileCounts counts;
  counts.rowReads = outputRows * window.outer * window.rowElements;
  counts.columnReads = columns * problem.k;
  counts.multiplyAdds = outputRows * roundUp(window.outputs, schedule.kernelRows) *
                        roundUp(columns, schedule.kernelColumns) * problem.k;
  return counts;
}

static TileCounts countGemv(const GemmSchedule &schedule, const GemmProblem &problem,
                            int64_t columns) {
  // If a tile has fewer rows than the schedule specifies, its last row is repeated. The repeated
  // rows are computed, too.
  int64_t rows = schedule.tileRows;
  TileCounts counts;
  if (!schedule.columnsAlongK) {
    counts.rowReads = rows * problem.k;
    counts.columnReads = columns * problem.k;
    counts.multiplyAdds = rows * roundUp(columns, schedule.vectorLanes) * problem.k;
    return counts;
  }
  int64_t steps = ceilDivide(columns, schedule.sideBySide);
  counts.rowReads = rows * problem.k * (schedule.keepsRows() ? 1 : steps);
  counts.columnReads = steps * schedule.sideBySide * problem.k;
  counts.multiplyAdds =
      rows * steps * schedule.sideBySide * roundUp(problem.k, schedule.vectorLanes);
  return counts;
}

GemmCounts gemmCounts(const GemmSchedule &schedule, const GemmProblem &problem) {
  GemmTiles tiles(schedule, problem);
  TileCounts total;
  if (schedule.algorithm == GemmAlgorithm::batch_interleaved) {
    int64_t products = problem.m * problem.n * problem.k;
    total.rowReads = total.columnReads = problem.batch * products;
    total.multiplyAdds = roundUp(problem.batch, lanes) * products;
  } else {
    for (auto [rows, rowTiles] : sizesOf(tiles.rows, tiles.tileRows, tiles.rowTiles)) {
      for (auto [columns, columnTiles] :
           sizesOf(tiles.columns, schedule.tileColumns, tiles.columnTiles)) {
        TileCounts tile = schedule.algorithm == GemmAlgorithm::packed
                              ? countPacked(schedule, problem, rows, columns)
                          : schedule.algorithm == GemmAlgorithm::direct
                              ? countDirect(schedule, problem, rows, columns)
                              : countGemv(schedule, problem, columns);
        int64_t times = problem.batch * rowTiles * columnTiles;
        total.rowReads += tile.rowReads * times;
        total.columnReads += tile.columnReads * times;
        total.multiplyAdds += tile.multiplyAdds * times;
      }
    }
  }
  GemmCounts counts;
  counts.multiplyAdds = total.multiplyAdds;
  counts.lhsReads = static_cast<double>(schedule.swapped ? total.columnReads : total.rowReads);
  counts.rhsReads = static_cast<double>(schedule.swapped ? total.rowReads : total.columnReads);
  bool isPacked = schedule.algorithm == GemmAlgorithm::packed;
  if (isPacked || schedule.algorithm == GemmAlgorithm::direct) {
    // Packing stores rows contiguously along k, and columns contiguously for each k. Operands that
    // are stored the other way are transposed.
    auto bytes = [&](bool isRows) {
      mlir::Value operand = isRows == schedule.swapped ? problem.rhs : problem.lhs;
      return static_cast<int64_t>(storageBytes(elementTypeOf(getElementTypeOrSelf(operand))));
    };
    bool areRowsTransposed = isPacked && !schedule.rowsAlongK;
    counts.transposedBytes = (areRowsTransposed ? total.rowReads * bytes(true) : 0) +
                             (schedule.columnsAlongK ? total.columnReads * bytes(false) : 0);
  }
  return counts;
}

//===- schedules that don't fit ----------------------------------------------------===//

// Maximum sizes of a micro-kernel. They exceed every register file. Without them, the code size
// would have no bound.
static constexpr int64_t maxKernelRows = 16, maxKernelRegisters = 8, maxSums = 64;
// Number of tile registers of AMX.
static constexpr int64_t maxTileRegisters = 8;
static constexpr int64_t maxVectorLanes = 4 * lanes, maxSideBySide = 16;

static std::string findItemFault(const GemmSchedule &schedule, const GemmProblem &problem) {
  if (schedule.itemRows == 0 && schedule.itemColumns == 0 && schedule.itemDepth == 0) {
    return "";
  }
  if (schedule.algorithm != GemmAlgorithm::packed || schedule.tilesPerTask != 1 ||
      hasSymbolicSizes(problem.result.getType()) || problem.combinesResults()) {
    return "only a packed kernel of static sizes, without reductions of its result and with one "
           "tile per task, divides tiles into items";
  }
  auto divides = [](int64_t item, int64_t tile) {
    return item == tile || (item > 0 && item < tile && item % static_cast<int64_t>(lanes) == 0);
  };
  if (!divides(schedule.itemRows, schedule.tileRows) ||
      !divides(schedule.itemColumns, schedule.tileColumns)) {
    return "the rows and columns of an item must be multiples of " + std::to_string(lanes) +
           " below the tile's, or all of them";
  }
  bool dividesDepth = schedule.itemDepth > 0 && schedule.itemDepth < problem.k &&
                      schedule.tileDepth > 0 && schedule.itemDepth % schedule.tileDepth == 0 &&
                      isFloat(problem.sumType) && !problem.contractsOpenSize();
  if (schedule.itemDepth != 0 && !dividesDepth) {
    return "only floating-point sums over a contracting dimension of static size are divided, and "
           "the k elements of an item must be a multiple of the tile's, below " +
           std::to_string(problem.k);
  }
  return "";
}

static std::string findTileFault(const GemmSchedule &schedule, const GemmProblem &problem) {
  Size rows = problem.size(schedule.swapped ? GemmProblem::N : GemmProblem::M);
  Size columns = problem.size(schedule.swapped ? GemmProblem::M : GemmProblem::N);
  // A tile never counts as a complete dimension of symbolic size, but it may be larger than the
  // dimension.
  auto isCut = [](int64_t size, const Size &total, int64_t multiple) {
    bool isBelow = !total.constant() || size < total.nominal;
    return total.is(size) || (size > 0 && isBelow && size % multiple == 0);
  };
  auto faultOf = [](const char *what, int64_t multiple, const Size &total) {
    std::string all = total.constant() ? ", or all " + std::to_string(total.nominal) : "";
    return std::string("the ") + what + " of a tile must be a multiple of " +
           std::to_string(multiple) + all;
  };
  int64_t rowStep = lanes;
  if (schedule.algorithm == GemmAlgorithm::gemv ||
      schedule.algorithm == GemmAlgorithm::batch_interleaved) {
    rowStep = 1;
  } else if (schedule.algorithm == GemmAlgorithm::direct) {
    rowStep = problem.windowRuns()->outputs;
  }
  if (!isCut(schedule.tileRows, rows, rowStep)) {
    return faultOf("rows", rowStep, rows);
  }
  bool hasMicroKernel =
      schedule.algorithm == GemmAlgorithm::packed || schedule.algorithm == GemmAlgorithm::direct;
  if (schedule.leastTileRows != 0 &&
      (!hasMicroKernel || schedule.leastTileRows < 0 || schedule.leastTileRows % rowStep != 0 ||
       schedule.leastTileRows >= schedule.tileRows || schedule.tilesPerTask != 1)) {
    return "`least_rows` must be a multiple of " + std::to_string(rowStep) + " below " +
           std::to_string(schedule.tileRows);
  }
  int64_t columnStep =
      schedule.algorithm == GemmAlgorithm::batch_interleaved ? columns.nominal : lanes;
  if (!isCut(schedule.tileColumns, columns, std::max<int64_t>(columnStep, 1))) {
    return faultOf("columns", columnStep, columns);
  }
  return findItemFault(schedule, problem);
}

// Whether columns are in panels. `registerLanes` has the same meaning as in findScheduleFault().
static bool hasPanels(const GemmSchedule &schedule, const GemmProblem &problem,
                      int64_t registerLanes) {
  GemmOperand columns = schedule.swapped ? GemmOperand::Lhs : GemmOperand::Rhs;
  return llvm::any_of(ArrayRef<int64_t>({2, 4, 8, 16}), [&](int64_t width) {
    return (registerLanes == 0 || width == registerLanes) &&
           panelsOf(problem, columns, schedule.unit, width);
  });
}

static bool hasRowsOfColumns(const GemmSchedule &schedule, const GemmProblem &problem,
                             int64_t registerLanes) {
  GemmOperand columns = schedule.swapped ? GemmOperand::Lhs : GemmOperand::Rhs;
  constexpr int64_t least = 2; // minimum number of elements of a register, on any target
  return liesInRows(problem, columns, schedule.unit, registerLanes == 0 ? least : registerLanes);
}

// Maximum prefetch distance. Data that is prefetched further ahead is evicted before it is read.
static constexpr int64_t maxPrefetch = 4096;
// Maximum number of k elements per block if the size of k is known only at run time.
static constexpr int64_t maxOpenDepth = 4096;

std::string findScheduleFault(const GemmSchedule &schedule, const GemmProblem &problem,
                              int64_t registerLanes) {
  bool isPacked = schedule.algorithm == GemmAlgorithm::packed;
  if (!problem.mayUse(schedule.unit)) {
    return "the unit `" + std::string(info(schedule.unit).name) + "` can't multiply its types";
  }
  if (schedule.kGroup() > 1 && !isPacked) {
    return "only packed kernels multiply k-groups";
  }
  if (schedule.padded != (problem.innermost != 0)) {
    return "there is no innermost output dimension to pad";
  }
  if (schedule.padded && !schedule.swapped) {
    return "its lanes don't run along the padded dimension";
  }
  bool readsOtherwise = schedule.columnsAlongK || schedule.columnsFirst;
  if (schedule.columnsInPanels &&
      (!isPacked || readsOtherwise || !hasPanels(schedule, problem, registerLanes))) {
    return "its columns aren't stored in panels of the unit";
  }
  if (schedule.columnsInPlace && (!isPacked || readsOtherwise || schedule.columnsInPanels ||
                                  !hasRowsOfColumns(schedule, problem, registerLanes))) {
    return "its columns aren't stored in rows of full registers";
  }
  for (int64_t distance : {schedule.prefetchRows, schedule.prefetchColumns}) {
    if (distance < 0 || distance > maxPrefetch) {
      return "a prefetch distance must be from 0 to " + std::to_string(maxPrefetch);
    }
  }
  if (schedule.tilesPerTask < 1) {
    return "a task has at least one tile";
  }
  if (schedule.algorithm == GemmAlgorithm::direct &&
      (!problem.windowRuns() || schedule.swapped || schedule.padded)) {
    return "its windows aren't contiguous runs of the input";
  }
  if (schedule.algorithm == GemmAlgorithm::batch_interleaved &&
      (problem.batch < static_cast<int64_t>(lanes) || schedule.swapped)) {
    return "its batch doesn't fill the lanes";
  }
  if (schedule.algorithm != GemmAlgorithm::gemv &&
      problem.k * problem.batch * problem.m * problem.n == 0) {
    return "empty sums and empty results need `gemv`";
  }
  if (std::string fault = findTileFault(schedule, problem); !fault.empty()) {
    return fault;
  }
  if (schedule.algorithm == GemmAlgorithm::direct &&
      schedule.kernelRows > problem.windowRuns()->outputs) {
    return "a micro-kernel has at most " + std::to_string(problem.windowRuns()->outputs) +
           " rows, the outputs along the last spatial dimension";
  }
  int64_t unitRows = info(schedule.unit).rows, lanesOfTiles = lanes;
  if (info(schedule.unit).hasTiles()) {
    int64_t rowTiles = schedule.kernelRows / unitRows;
    int64_t columnTiles = schedule.kernelColumns / lanesOfTiles;
    if (rowTiles < 1 || columnTiles < 1 || schedule.kernelRows % unitRows != 0 ||
        schedule.kernelColumns % lanesOfTiles != 0 ||
        rowTiles * columnTiles + rowTiles + columnTiles > maxTileRegisters) {
      return "a micro-kernel of tiles has rows and columns in multiples of 16, and at most " +
             std::to_string(maxTileRegisters) + " tiles including its operands";
    }
  } else if (isPacked || schedule.algorithm == GemmAlgorithm::direct) {
    int64_t step = registerLanes == 0 ? 1 : registerLanes;
    int64_t most = maxKernelRegisters * (registerLanes == 0 ? lanes : registerLanes);
    int64_t sums = registerLanes == 0 ? 0 : schedule.kernelRows * schedule.kernelColumns / step;
    if (schedule.kernelRows % unitRows != 0) {
      return "the unit `" + std::string(info(schedule.unit).name) + "` multiplies " +
             std::to_string(unitRows) + " rows at a time";
    }
    if (schedule.kernelRows < 1 || schedule.kernelRows > maxKernelRows ||
        schedule.kernelColumns < step || schedule.kernelColumns > most ||
        schedule.kernelColumns % step != 0 || sums > maxSums) {
      return "a micro-kernel has 1 to " + std::to_string(maxKernelRows) + " rows, up to " +
             std::to_string(most) + " columns in full registers of " + std::to_string(step) +
             ", and at most " + std::to_string(maxSums) + " registers of sums";
    }
  }
  int64_t blockStep = lanes * schedule.kGroup();
  int64_t mostDepth = problem.contractsOpenSize() ? maxOpenDepth : roundUp(problem.k, blockStep);
  if (isPacked && (schedule.tileDepth < blockStep || schedule.tileDepth % blockStep != 0 ||
                   schedule.tileDepth > mostDepth)) {
    return "the depth of a tile must be a multiple of " + std::to_string(blockStep) +
           ", and at most " + std::to_string(mostDepth);
  }
  if (schedule.algorithm == GemmAlgorithm::gemv) {
    bool isPower = llvm::isPowerOf2_64(static_cast<uint64_t>(schedule.vectorLanes));
    if (schedule.vectorLanes < static_cast<int64_t>(lanes) ||
        schedule.vectorLanes > maxVectorLanes || !isPower) {
      return "a vector has " + std::to_string(lanes) + " to " + std::to_string(maxVectorLanes) +
             " elements, a power of two";
    }
    if (schedule.sideBySide < 1 || schedule.sideBySide > maxSideBySide ||
        schedule.tileRows > maxSums) {
      return "`side_by_side` must be at most " + std::to_string(maxSideBySide) +
             ", and a tile may have at most " + std::to_string(maxSums) + " rows";
    }
  }
  return "";
}

} // namespace drumlin

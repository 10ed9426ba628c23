// The packed algorithm. Blocks of k of both operands are evaluated into scratch memory, in the
// order in which a register-blocked micro-kernel reads them. The sums stay in scratch memory until
// all of k is processed.
//
// Columns that already have this order in memory are multiplied in place. Multiplication is done by
// routines that all kernels share, and so is the packing of operands whose elements in memory need
// no further computation. An operand that the kernel computes first is packed by the kernel's own
// code.
#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/gemm/GemmEmitter.h"
#include "drumlin/codegen/cpu/gemm/GemmTiles.h"
#include "drumlin/codegen/cpu/gemm/MultiplyRoutine.h"
#include "drumlin/codegen/cpu/gemm/PackRoutine.h"
#include "drumlin/codegen/cpu/machine/Machines.h"
#include "drumlin/ir/plan/gemm/GemmPanels.h"
#include "drumlin/target/MicroKernel.h"

using namespace llvm;

namespace drumlin::codegen {

// Maximum number of rows of a micro-kernel that reads columns in place, for tiles whose number of
// rows is known only at run time. A tile with fewer rows than this maximum uses a micro-kernel with
// exactly the tile's number of rows.
static constexpr int64_t mostRowsInPlace = 6;

static int64_t roundUp(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

namespace {
class PackedGemm : public GemmEmitter {
public:
  using GemmEmitter::GemmEmitter;

  int64_t bytesOfParts() override {
    int64_t sumsOfParts = tiles.depthItems * problem.batch * tiles.rows.nominal * columnsOfParts();
    return KernelFrame::bytesOfStep +
           sumsOfParts * static_cast<int64_t>(bytesOf(problem.sumLlvmType()));
  }

protected:
  void emitTile(const Tile &tile) override;

private:
  // A block of k: the indices [first, first + terms) of k.
  struct Depth {
    LaneIndex first;
    Value *terms;
    Value *multiplied; // number of k-groups, rounded up to full instructions
  };

  void layOut();
  GemmPacking packing(bool movesTerms);
  GemmPacking::Range rangeOf(GemmPacking::Term term, const Depth &depth);
  void packRows(const Tile &tile, const Depth &depth);
  void packColumns(const Tile &tile, const Depth &depth);
  // If a routine can pack the operand's elements as they are in memory, emits a call of the routine
  // and returns true. Otherwise emits nothing and returns false.
  bool packMatrix(PackRoutine routine, const Tile &tile, const Depth &depth);
  // The memory of the columns of a block of k, and the micro-kernel that multiplies them.
  struct Columns {
    Value *panels, *panelStride, *panelsBehind, *unitStride;
    int64_t rows, vectors;
    bool inPlace, prefetches;
  };
  Columns columnsInPanels(int64_t vectors);
  Columns columnsInPlace(const Tile &tile, const Depth &depth, int64_t rows, int64_t vectors);
  void multiply(const Tile &tile, const Depth &depth, Value *isFirst, const Columns &columns);
  void multiplyColumns(const Tile &tile, const Depth &depth, Value *isFirst);
  void multiplyTiles(Value *row, Value *column, Value *units, Value *isFirst);
  Value *elementOf(Value *term) {
    return b.CreateLShr(term, Log2_64(static_cast<uint64_t>(problem.kGroup())));
  }
  Value *panelAt(Value *number) {
    return at(unitType, panels ? firstPanel : packedColumns, times(number, panelStride));
  }
  SmallVector<Value *> panelsAt(Value *column);
  Value *panelMemory();
  void findPanels(const Tile &tile, const Depth &depth);
  // Returns whether each tile chooses, by its number of rows, between multiplying columns in place
  // and packing them. This is so if the number of rows is known only at run time.
  bool decidesByRows() const { return schedule.columnsInPlace && !tiles.rows.constant(); }
  // Returns whether float sums may have so many blocks of k that adding the blocks one after
  // another would lose precision. Groups of blocks are then summed separately, and the groups' sums
  // are added as a compensated sum.
  bool hasGroups() const {
    bool isLong = !contracted.constant() || problem.k > schedule.groupDepth();
    return isLong && sumType->isFloatingPointTy();
  }
  // If items divide k: the memory that all items share has the sums of each part of k, of all
  // batches, rows and columns, these padded to full vectors.
  int64_t columnsOfParts() const {
    return roundUp(tiles.columns.nominal, static_cast<int64_t>(lanes));
  }
  void emitParts(const Tile &tile, function_ref<void(Value *, Value *)> emitBlocks, Value *end);

  // Emits body(sums, row, column) for each vector of the tile's sums in memory.
  void forVectors(const Tile &tile,
                  function_ref<void(const PlaceOfBlocks &, Value *, Value *)> body) {
    auto *vector = vectorOf(sumType);
    e.emitLoop(constant(0), tile.rows, 1, [&](Value *row) {
      Value *ofRow = at(sumType, sums, times(row, sumStride));
      e.emitLoop(constant(0), tile.columns, lanes, [&](Value *column) {
        body({vector, at(sumType, ofRow, column), constant(sumSize)}, row, column);
      });
    });
  }
  void forSums(const Tile &tile, function_ref<void(const PlaceOfBlocks &)> body) {
    forVectors(tile, [&](const PlaceOfBlocks &of, Value *, Value *) { body(of); });
  }
  bool movesRows() const { return problem.movesRows(problem.unit); }

  PackedPanels packed() { return {packedColumns, unitType, width, constant(panelStride)}; }

  Type *unitType = nullptr;
  Type *sumType = nullptr;
  int64_t width = 0;                                     // columns of a panel
  int64_t rowStride = 0, panelStride = 0, sumStride = 0; // in elements
  int64_t sumSize = 0;                                   // size of the tile's sums, in elements
  Value *packedRows = nullptr, *packedColumns = nullptr, *sums = nullptr, *block = nullptr;
  // Set if the columns are in panels in memory. `firstPanel` then points to the first k-group of
  // the block of k in the tile's first panel, and `panelsBehind` more panels of the matrix follow.
  std::optional<GemmPanels> panels;
  // Returns how many vectors of columns a micro-kernel with `rows` rows should have. More vectors
  // read longer contiguous pieces, so the result is between half of the maximum that registers
  // allow and this maximum. Among these numbers, it is the one that computes the fewest columns
  // past the tile's end.
  int64_t vectorsBeside(int64_t rows) const {
    int64_t most = 8;
    while (most > 1 && maxMicroKernelRows(cpu, most) < rows) {
      --most;
    }
    int64_t needed = roundUp(schedule.tileColumns, width) / width, best = most;
    for (int64_t vectors = most; vectors > most / 2; --vectors) {
      best = roundUp(needed, vectors) < roundUp(needed, best) ? vectors : best;
    }
    return best;
  }
  Value *firstPanel = nullptr, *panelsBehind = nullptr;
  Value *columnSums = nullptr; // null unless rows are offset by 128
  std::optional<GemmTerms::Matrix> rowMatrix, columnMatrix;
};
} // namespace

void PackedGemm::layOut() {
  unitType = problem.unitType();
  sumType = problem.sumLlvmType();
  width = cpu.registerLanes(bytesOf(sumType));
  int64_t rows =
      std::max(roundUp(schedule.tileRows, schedule.kernelRows), roundUp(schedule.tileRows, lanes));
  int64_t columns = roundUp(roundUp(schedule.tileColumns, lanes), kernelVectors * width);
  if (decidesByRows()) {
    for (int64_t kernelRows = 1; kernelRows <= mostRowsInPlace; ++kernelRows) {
      int64_t whole = vectorsBeside(kernelRows) * width;
      rows = std::max(rows, roundUp(schedule.tileRows, kernelRows));
      columns = std::max(columns, roundUp(schedule.tileColumns, whole));
    }
  }
  // Additional elements keep rows and panels from mapping to the same cache sets.
  rowStride = blockDepth + lanes;
  panelStride = (blockDepth + 1) * width;
  sumStride = columns + lanes;
  packedRows = allocate(unitType, rows * rowStride);
  if (schedule.columnsInPanels) {
    panels = panelsOf(problem, columnOperand(), problem.unit, width);
    panelStride = panels->elements * width;
  } else if (!schedule.columnsInPlace || decidesByRows()) {
    packedColumns = allocate(unitType, columns / width * panelStride);
  }
  sumSize = rows * sumStride;
  sums = allocate(sumType, (hasGroups() ? 3 : 1) * sumSize);
  block = allocate(unitType, lanes * lanes);
  if (movesRows()) {
    columnSums = allocate(sumType, columns);
  }
  rowMatrix = problem.matrix(rowOperand());
  columnMatrix = problem.matrix(columnOperand());
  assert((!schedule.columnsInPlace || columnMatrix) && "columns in place are a matrix in memory");
}

//===- packing --------------------------------------------------------------------===//

GemmPacking PackedGemm::packing(bool movesTerms) {
  PackedElement element = problem.packedElement();
  element.isMoved = movesTerms;
  return {e, cpu, element, block};
}

GemmPacking::Range PackedGemm::rangeOf(GemmPacking::Term term, const Depth &depth) {
  GemmPacking::Range range(term);
  range.first = depth.first;
  range.terms = depth.terms;
  auto isMultiple = [&](int64_t of) { return contracted.isMultipleOf(of); };
  range.wholeTerms = isMultiple(static_cast<int64_t>(lanes) * problem.kGroup());
  range.wholeElements = isMultiple(problem.kGroup());
  return range;
}

bool PackedGemm::packMatrix(PackRoutine routine, const Tile &tile, const Depth &depth) {
  GemmOperand operand = routine.packsRows ? rowOperand() : columnOperand();
  const std::optional<GemmTerms::Matrix> &matrix = routine.packsRows ? rowMatrix : columnMatrix;
  if (!matrix || (routine.alongK ? matrix->depth : matrix->free).constant() != 1) {
    return false;
  }
  routine.element = problem.packedElement();
  routine.element.isMoved = routine.packsRows && movesRows();
  routine.memory = matrix->buffer.type;
  routine.isWithoutSign = problem.isWithoutSign(operand);
  int64_t ahead = routine.packsRows ? schedule.prefetchRows : schedule.prefetchColumns;
  routine.prefetches = ahead != 0 && routine.packsRows == routine.alongK;
  Value *first = problem.positionIn(*matrix, tile.batch,
                                    routine.packsRows ? tile.row0 : tile.column0, depth.first);
  PackRoutine::Arguments given = {};
  given.from = at(e.memoryType(routine.memory), matrix->buffer.pointer, first);
  given.stride = e.extent(routine.alongK ? matrix->free : matrix->depth);
  given.packed = routine.packsRows ? packedRows : packedColumns;
  given.packedStride = constant(routine.packsRows ? rowStride : panelStride);
  given.block = block;
  given.free = routine.packsRows ? tile.rows : tile.columns;
  given.terms = depth.terms;
  given.prefetched = constant(ahead);
  routine.call(b, functionOf(routine), given);
  return true;
}

void PackedGemm::packRows(const Tile &tile, const Depth &depth) {
  PackRoutine routine;
  routine.packsRows = true;
  routine.alongK = schedule.rowsAlongK;
  if (packMatrix(routine, tile, depth)) {
    return;
  }
  auto term = [&](const LaneIndex &free, const LaneIndex &k) { return rowTerm(tile, free, k); };
  GemmPacking::Range range = rangeOf(term, depth);
  range.free = tile.rows;
  range.wholeFree = tile.wholeRows;
  range.prefetched = schedule.prefetchRows == 0 ? nullptr : constant(schedule.prefetchRows);
  GemmPacking pack = packing(movesRows());
  schedule.rowsAlongK ? pack.rowsAlongK(range, packedRows, constant(rowStride))
                      : pack.rowsAlongFree(range, packedRows, constant(rowStride));
}

void PackedGemm::packColumns(const Tile &tile, const Depth &depth) {
  auto term = [&](const LaneIndex &free, const LaneIndex &k) { return columnTerm(tile, free, k); };
  GemmPacking::Range range = rangeOf(term, depth);
  range.free = tile.columns;
  range.wholeFree = tile.wholeColumns;
  bool isPrefetched = schedule.prefetchColumns != 0 && !schedule.columnsFirst;
  range.prefetched = isPrefetched ? constant(schedule.prefetchColumns) : nullptr;
  GemmPacking pack = packing(false);
  if (!schedule.columnsAlongK) {
    pack.clearBehind(range, packed());
  }
  PackRoutine routine;
  routine.packsRows = false;
  routine.alongK = schedule.columnsAlongK;
  if (!schedule.columnsFirst && packMatrix(routine, tile, depth)) {
    return;
  }
  schedule.columnsAlongK ? pack.columnsAlongK(range, packed())
                         : pack.columnsAlongFree(range, packed(), schedule.columnsFirst);
}

// Returns the address of the first panel of the operand's first matrix. If the operand is a slab of
// a stack, this is an address inside of the stack's memory.
Value *PackedGemm::panelMemory() {
  if (!takesSlab(panels->memory.getDefiningOp())) {
    return e.bufferOf(panels->memory)->pointer;
  }
  mlir::OpOperand &stack = panels->memory.getDefiningOp()->getOpOperand(0);
  Extents sizes = e.extentsOf(panels->memory);
  SmallVector<LaneIndex> first(sizes.size(), index.constant(0));
  const IndexTuple *slab =
      e.readAt(*indexing(stack), index.tuple(std::move(sizes), first), stack.get()).from;
  const Buffer &buffer = *e.bufferOf(stack.get());
  return at(e.memoryType(buffer.type), buffer.pointer, index.asValue(index.linear(slab)));
}

// Sets `firstPanel` and `panelsBehind` for a tile of columns that are in panels in memory: each
// panel has the packed format and all of k, contiguously.
void PackedGemm::findPanels(const Tile &tile, const Depth &depth) {
  Value *inMatrix = b.CreateLShr(tile.column0.base, Log2_64(static_cast<uint64_t>(width)));
  Value *number = b.CreateAdd(b.CreateMul(tile.batch.base, constant(panels->panels)), inMatrix);
  Value *unit = b.CreateMul(elementOf(depth.first.base), constant(width));
  firstPanel =
      at(unitType, panelMemory(), b.CreateAdd(b.CreateMul(number, constant(panelStride)), unit));
  panelsBehind = b.CreateSub(constant(panels->panels - 1), inMatrix);
}

PackedGemm::Columns PackedGemm::columnsInPanels(int64_t vectors) {
  Columns columns = {};
  columns.panels = panels ? firstPanel : packedColumns;
  columns.panelStride = constant(panelStride);
  columns.panelsBehind = panels ? panelsBehind : constant(std::numeric_limits<int64_t>::max());
  columns.unitStride = constant(width);
  columns.rows = schedule.kernelRows;
  columns.vectors = vectors;
  columns.prefetches = panels && schedule.prefetchColumns != 0;
  return columns;
}

// Describes columns that the micro-kernel reads in place, unpacked. Each register of a row counts
// as a panel, and the stride of panels is the width of a register.
PackedGemm::Columns PackedGemm::columnsInPlace(const Tile &tile, const Depth &depth, int64_t rows,
                                               int64_t vectors) {
  Value *first = problem.positionIn(*columnMatrix, tile.batch, tile.column0, depth.first);
  Columns columns = {};
  columns.panels = at(unitType, columnMatrix->buffer.pointer, first);
  columns.panelStride = constant(width);
  columns.unitStride = e.extent(columnMatrix->depth);
  columns.rows = rows;
  columns.vectors = vectors;
  columns.inPlace = true;
  Value *behind = b.CreateSub(constant(tiles.columns.nominal), tile.column0.base);
  behind = b.CreateLShr(behind, Log2_64(static_cast<uint64_t>(width)));
  columns.panelsBehind = b.CreateSub(behind, constant(1));
  return columns;
}

// Returns the addresses of the panels that the micro-kernel reads from a column on. Past the last
// panel, the last panel is read again; the sums of repeated panels are never stored.
SmallVector<Value *> PackedGemm::panelsAt(Value *column) {
  Value *first = b.CreateLShr(column, Log2_64(static_cast<uint64_t>(width)));
  SmallVector<Value *> made = {panelAt(first)};
  for (int64_t v = 1; v < kernelVectors; ++v) {
    Value *number = b.CreateAdd(first, constant(v), "", true, true);
    made.push_back(
        panelAt(panels ? b.CreateBinaryIntrinsic(Intrinsic::smin, number, panelsBehind) : number));
  }
  return made;
}

//===- multiplying -----------------------------------------------------------------===//

void PackedGemm::multiplyTiles(Value *row, Value *column, Value *units, Value *isFirst) {
  TileBlock tiles;
  tiles.unit = problem.unit;
  tiles.rowsWithoutSign = problem.isWithoutSign(rowOperand());
  tiles.columnsWithoutSign = problem.isWithoutSign(columnOperand());
  tiles.rowTiles = schedule.kernelRows / static_cast<int64_t>(lanes);
  tiles.rows = at(unitType, packedRows, b.CreateMul(row, constant(rowStride), "", true, true));
  tiles.rowStride = rowStride;
  tiles.panels = panelsAt(column);
  tiles.sums =
      at(sumType, sums, b.CreateAdd(b.CreateMul(row, constant(sumStride)), column, "", true, true));
  tiles.sumStride = sumStride;
  tiles.units = units;
  tiles.isFirst = isFirst;
  if (cpu.has(info(problem.unit).feature)) {
    machineOf(cpu).multiplyTiles(e, frame.module, tiles);
  } else {
    emulateTiles(e, tiles);
  }
}

void PackedGemm::multiply(const Tile &tile, const Depth &depth, Value *isFirst,
                          const Columns &columns) {
  if (info(problem.unit).hasTiles()) {
    // The panels of one iteration stay in L1 while all rows are processed.
    e.emitLoop(constant(0), tile.columns, kernelVectors * width, [&](Value *column) {
      e.emitLoop(constant(0), tile.rows, schedule.kernelRows,
                 [&](Value *row) { multiplyTiles(row, column, depth.multiplied, isFirst); });
    });
    return;
  }
  MultiplyRoutine routine;
  routine.unit = problem.unit;
  routine.sums = problem.sumType;
  routine.rows = columns.rows;
  routine.vectors = columns.vectors;
  routine.columnsWithoutSign =
      info(problem.unit).mayMoveRows() && problem.isWithoutSign(columnOperand());
  routine.movesRows = columnSums != nullptr;
  routine.prefetches = columns.prefetches;
  routine.inPlace = columns.inPlace;
  MultiplyRoutine::Arguments arguments = {};
  arguments.rows = packedRows;
  arguments.rowStride = constant(rowStride);
  arguments.panels = columns.panels;
  arguments.panelStride = columns.panelStride;
  arguments.panelsBehind = columns.panelsBehind;
  arguments.sums = sums;
  arguments.sumStride = constant(sumStride);
  arguments.columnSums = columnSums;
  arguments.tileRows = tile.rows;
  arguments.tileColumns = tile.columns;
  arguments.units = depth.multiplied;
  arguments.isFirst = isFirst;
  arguments.unitStride = columns.unitStride;
  arguments.prefetched = constant(schedule.prefetchColumns);
  routine.call(b, functionOf(routine), arguments);
}

// Multiplies the columns of a block of k, in place or after packing them.
void PackedGemm::multiplyColumns(const Tile &tile, const Depth &depth, Value *isFirst) {
  auto pack = [&]() {
    packColumns(tile, depth);
    packing(false).pairColumns(tile.columns, depth.multiplied, packed());
    if (tiles.columns.constant() || kernelVectors == 1 || info(problem.unit).hasTiles()) {
      multiply(tile, depth, isFirst, columnsInPanels(kernelVectors));
      return;
    }
    // At run time, a tile may have only one register of columns, for which a narrower micro-kernel
    // is used.
    Value *isFew = b.CreateICmpSLE(tile.columns, constant(width));
    isFew = b.CreateZExt(isFew, b.getInt64Ty());
    e.emitLoop(constant(0), isFew, 1,
               [&](Value *) { multiply(tile, depth, isFirst, columnsInPanels(1)); });
    e.emitLoop(isFew, constant(1), 1,
               [&](Value *) { multiply(tile, depth, isFirst, columnsInPanels(kernelVectors)); });
  };
  if (panels) {
    findPanels(tile, depth);
    multiply(tile, depth, isFirst, columnsInPanels(kernelVectors));
  } else if (!schedule.columnsInPlace) {
    pack();
  } else if (!decidesByRows()) {
    multiply(tile, depth, isFirst, columnsInPlace(tile, depth, schedule.kernelRows, kernelVectors));
  } else {
    // Loops of at most one iteration serve as branches.
    auto hasNoMoreThan = [&](int64_t rows) {
      return b.CreateZExt(b.CreateICmpSLE(tile.rows, constant(rows)), b.getInt64Ty());
    };
    auto multiplyInPlace = [&](int64_t rows) {
      multiply(tile, depth, isFirst, columnsInPlace(tile, depth, rows, vectorsBeside(rows)));
    };
    Value *before = constant(0), *hasMore = hasNoMoreThan(maxRowsInPlace);
    // Tiles of seven or eight rows take two steps of four rows, which are less work than two steps
    // of six rows.
    Value *hasEight = b.CreateSub(hasNoMoreThan(8), hasNoMoreThan(mostRowsInPlace));
    for (int64_t rows = 1; rows < mostRowsInPlace; ++rows) {
      Value *has = hasNoMoreThan(rows);
      Value *isTaken = b.CreateSub(has, before);
      isTaken = rows == 4 ? b.CreateOr(isTaken, hasEight) : isTaken;
      e.emitLoop(constant(0), isTaken, 1, [&](Value *) { multiplyInPlace(rows); });
      before = has;
    }
    Value *isTaken = b.CreateSub(b.CreateSub(hasMore, before), hasEight);
    e.emitLoop(constant(0), isTaken, 1, [&](Value *) { multiplyInPlace(mostRowsInPlace); });
    e.emitLoop(hasMore, constant(1), 1, [&](Value *) { pack(); });
  }
}

// The first step stores the sums of the tile's part of k. In the second step, the items of the
// first part join the sums of all parts.
void PackedGemm::emitParts(const Tile &tile, function_ref<void(Value *, Value *)> emitBlocks,
                           Value *end) {
  auto *vector = vectorOf(sumType);
  KernelFrame::SharedMemory memory = frame.loadSharedMemory();
  Value *parts =
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory.start, KernelFrame::bytesOfStep);
  Value *rowsBefore = times(tile.batch.base, tiles.rows.nominal);
  Value *firstRow = b.CreateAdd(rowsBefore, tile.row0.base, "", true, true);
  // Emits body(sums, place) for each vector of the tile's sums: its place in the tile's memory, and
  // in the memory of the part.
  auto forPart = [&](Value *part, function_ref<void(const PlaceOfBlocks &, Value *)> body) {
    Value *before = b.CreateAdd(times(part, problem.batch * tiles.rows.nominal), firstRow);
    forVectors(tile, [&](const PlaceOfBlocks &of, Value *row, Value *column) {
      Value *rowOfParts = times(plus(before, row), columnsOfParts());
      body(of, at(sumType, parts, plus(plus(rowOfParts, tile.column0.base), column)));
    });
  };
  Value *isFirstStep = b.CreateICmpEQ(memory.step, constant(0));
  emitIf(e, isFirstStep, [&] {
    Value *begin = times(tile.part, schedule.itemDepth);
    Value *behind = plus(begin, schedule.itemDepth);
    emitBlocks(begin, b.CreateBinaryIntrinsic(Intrinsic::smin, behind, end));
    forPart(tile.part, [&](const PlaceOfBlocks &of, Value *place) {
      b.CreateAlignedStore(b.CreateAlignedLoad(vector, of.place, Align(64)), place, Align(64));
    });
  });
  Value *isFirstPart = b.CreateICmpEQ(tile.part, constant(0));
  emitIf(e, b.CreateAnd(b.CreateNot(isFirstStep), isFirstPart), [&] {
    forSums(tile, [&](const PlaceOfBlocks &of) { clearParts(of); });
    e.emitLoop(constant(0), constant(tiles.depthItems), 1, [&](Value *part) {
      forPart(part, [&](const PlaceOfBlocks &of, Value *place) {
        b.CreateAlignedStore(b.CreateAlignedLoad(vector, place, Align(64)), of.place, Align(64));
        addBlock(of);
      });
    });
    forSums(tile, [&](const PlaceOfBlocks &of) { joinParts(of); });
    storeBlock(tile, sums, sumStride);
  });
}

void PackedGemm::emitTile(const Tile &tile) {
  if (!packedRows) {
    layOut();
  }
  int64_t tileDepth = blockDepth * problem.kGroup();
  auto emitBlock = [&](const LaneIndex &first, Value *terms, Value *isFirst) {
    Depth depth;
    depth.first = first;
    depth.terms = terms;
    depth.multiplied = packing(false).multipliedOf(terms);
    packRows(tile, depth);
    packing(false).pairRows(tile.rows, depth.multiplied, packedRows, constant(rowStride));
    multiplyColumns(tile, depth, isFirst);
  };
  if (contracted.constant() && problem.k <= tileDepth) {
    emitBlock(index.constant(0), constant(problem.k), b.getTrue());
  } else {
    Value *depth = extent(contracted);
    auto emitBlocks = [&](Value *begin, Value *end) {
      e.emitLoop(begin, end, tileDepth, [&](Value *first) {
        Value *terms = b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateSub(depth, first),
                                               constant(tileDepth));
        emitBlock(index.scalar(first, tileDepth), terms, b.CreateICmpEQ(first, begin));
      });
    };
    // The first block initializes the sums, even if it has no k elements.
    Value *end = extent(Size::larger(contracted, 1));
    if (tile.part) {
      emitParts(tile, emitBlocks, end);
      return;
    }
    if (!hasGroups()) {
      emitBlocks(constant(0), end);
    } else {
      forSums(tile, [&](const PlaceOfBlocks &of) { clearParts(of); });
      e.emitLoop(constant(0), end, schedule.groupDepth(), [&](Value *begin) {
        Value *behind = plus(begin, schedule.groupDepth());
        emitBlocks(begin, b.CreateBinaryIntrinsic(Intrinsic::smin, behind, end));
        forSums(tile, [&](const PlaceOfBlocks &of) { addBlock(of); });
      });
      forSums(tile, [&](const PlaceOfBlocks &of) { joinParts(of); });
    }
  }
  storeBlock(tile, sums, sumStride);
}

std::unique_ptr<GemmEmitter> makePackedGemm(KernelFrame &frame, GemmTerms &problem,
                                            GemmEpilogue &epilogue, const GemmSchedule &schedule) {
  return std::make_unique<PackedGemm>(frame, problem, epilogue, schedule);
}

} // namespace drumlin::codegen

// The GEMV (skinny) algorithm, for few rows. The rows are evaluated once into scratch memory. The
// operand with many columns is read once, in memory order.
#include "drumlin/codegen/cpu/gemm/GemmEmitter.h"
#include "drumlin/codegen/cpu/gemm/PackRoutine.h"
#include "drumlin/codegen/cpu/gemm/StreamRoutine.h"

using namespace llvm;

namespace drumlin::codegen {

namespace {
class Gemv : public GemmEmitter {
public:
  using GemmEmitter::GemmEmitter;

protected:
  void emitTile(const Tile &tile) override;

private:
  void layOut();
  LaneIndex rowAt(const Tile &tile, int64_t number);
  void keepRows(const Tile &tile);
  void stream(const Tile &tile);
  // If a routine can process the operand's elements as they are in memory, keepMatrix() and
  // streamMatrix() emit a call of the routine and return true. Otherwise they emit nothing and
  // return false.
  bool keepMatrix(const Tile &tile);
  bool streamMatrix(const Tile &tile);
  Value *first(const GemmTerms::Matrix &matrix, const Tile &tile, const LaneIndex &free);
  // Returns whether lanes run along k and a tile may have fewer columns than the loop sums at once.
  bool hasFewColumns() const {
    if (!tiles.columns.constant()) {
      return schedule.columnsAlongK;
    }
    Size inLast = tiles.columns - (tiles.columnTiles - 1) * schedule.tileColumns;
    return schedule.columnsAlongK &&
           std::min(inLast.nominal, schedule.tileColumns) < schedule.sideBySide;
  }

  Type *sumType = nullptr;
  int64_t rows = 0;
  int64_t width = lanes; // number of lanes of each vector
  bool wholeColumns = false;
  int64_t keptStride = 0, sumStride = 0;
  Value *kept = nullptr, *sums = nullptr;
  std::optional<GemmTerms::Matrix> rowMatrix, columnMatrix;
};
} // namespace

void Gemv::layOut() {
  sumType = problem.sumLlvmType();
  rows = schedule.tileRows;
  width = schedule.vectorLanes;
  wholeColumns = tiles.columns.isMultipleOf(width) &&
                 (tiles.columnTiles.is(1) || schedule.tileColumns % width == 0);
  keptStride = (problem.k + width - 1) / width * width;
  sumStride = (schedule.tileColumns + width - 1) / width * width;
  kept = allocate(sumType, schedule.keepsRows() ? rows * keptStride : 0);
  int64_t parts = schedule.columnsAlongK ? 1 : GemmStream::partsAlongColumns(sumType, problem.k);
  sums = allocate(sumType, parts * rows * sumStride);
  rowMatrix = problem.matrix(rowOperand());
  columnMatrix = problem.matrix(columnOperand());
}

// Returns the index of row `number` of the tile; for numbers past the tile's end, the index of the
// tile's last row.
LaneIndex Gemv::rowAt(const Tile &tile, int64_t number) {
  Value *last = b.CreateSub(tile.rows, constant(1));
  return index.scalar(b.CreateBinaryIntrinsic(Intrinsic::smin, constant(number), last));
}

Value *Gemv::first(const GemmTerms::Matrix &matrix, const Tile &tile, const LaneIndex &free) {
  Value *position = problem.positionIn(matrix, tile.batch, free, index.constant(0));
  return at(e.memoryType(matrix.buffer.type), matrix.buffer.pointer, position);
}

bool Gemv::keepMatrix(const Tile &tile) {
  if (!rowMatrix || rowMatrix->depth.constant() != 1 || !tiles.rows.isMultipleOf(rows)) {
    return false;
  }
  PackRoutine routine;
  routine.element = problem.packedElement();
  routine.memory = rowMatrix->buffer.type;
  routine.isWithoutSign = problem.isWithoutSign(rowOperand());
  PackRoutine::Arguments given = {};
  given.from = first(*rowMatrix, tile, tile.row0);
  given.stride = e.extent(rowMatrix->free);
  given.packed = kept;
  given.packedStride = constant(keptStride);
  given.block = ConstantPointerNull::get(b.getPtrTy()); // the routine transposes nothing
  given.free = tile.rows;
  given.terms = constant(problem.k);
  given.prefetched = constant(0);
  routine.call(b, functionOf(routine), given);
  return true;
}

// Evaluates the rows into full registers along k, padded with zeros.
void Gemv::keepRows(const Tile &tile) {
  if (keepMatrix(tile)) {
    return;
  }
  index.setWidth(static_cast<unsigned>(width));
  for (int64_t i = 0; i < rows; ++i) {
    LaneIndex row = rowAt(tile, i);
    Value *target = at(sumType, kept, constant(i * keptStride));
    forLanes(constant(problem.k), problem.k % width == 0, [&](Value *base, Value *mask) {
      Value *value = rowTerm(tile, row, index.laneOf(base, width));
      b.CreateAlignedStore(zeroInactive(e.splat(value), mask), at(sumType, target, base),
                           Align(64));
    });
  }
  index.setWidth(lanes);
}

bool Gemv::streamMatrix(const Tile &tile) {
  SizeExpression contiguous =
      columnMatrix ? (schedule.columnsAlongK ? columnMatrix->depth : columnMatrix->free) : 0;
  if (contiguous.constant() != 1 || !schedule.keepsRows() || hasFewColumns()) {
    return false;
  }
  StreamRoutine routine;
  routine.sums = problem.sumType;
  routine.memory = columnMatrix->buffer.type;
  routine.rows = rows;
  routine.width = width;
  routine.sideBySide = schedule.sideBySide;
  routine.alongK = schedule.columnsAlongK;
  routine.prefetches = schedule.prefetchColumns != 0;
  StreamRoutine::Arguments given = {};
  given.rows = kept;
  given.rowStride = constant(keptStride);
  given.from = first(*columnMatrix, tile, tile.column0);
  given.stride = e.extent(routine.alongK ? columnMatrix->free : columnMatrix->depth);
  given.sums = sums;
  given.sumStride = constant(sumStride);
  given.columns = tile.columns;
  given.k = constant(problem.k);
  given.prefetched = constant(schedule.prefetchColumns);
  routine.call(b, functionOf(routine), given);
  return true;
}

void Gemv::stream(const Tile &tile) {
  auto rowTerms = [&](int64_t row, const LaneIndex &depth) -> Value * {
    if (!schedule.keepsRows()) {
      return rowTerm(tile, rowAt(tile, row), depth);
    }
    Value *place = at(sumType, kept, plus(depth.base, row * keptStride));
    return depth.isUniform() ? static_cast<Value *>(b.CreateLoad(sumType, place))
                             : b.CreateAlignedLoad(vectorOf(sumType, width), place, Align(64));
  };
  // Columns are read in sumType, even if the compute unit reads packed operands in another form.
  auto columnTerms = [&](const LaneIndex &column, int64_t next, const LaneIndex &depth) {
    return columnTerm(tile, next == 0 ? column : index.addConstant(column, next), depth);
  };
  GemmStream::Range range = {rowTerms, columnTerms};
  range.k = constant(problem.k);
  range.columns = tile.columns;
  range.wholeColumns = wholeColumns;
  range.fewColumns = hasFewColumns();
  range.sums = sums;
  range.sumStride = constant(sumStride);
  range.prefetched = schedule.prefetchColumns == 0 ? nullptr : constant(schedule.prefetchColumns);
  index.setWidth(static_cast<unsigned>(width));
  GemmStream made(e, cpu, sumType, rows, width, schedule.sideBySide);
  schedule.columnsAlongK ? made.alongK(range) : made.alongColumns(range);
  index.setWidth(lanes);
}

void Gemv::emitTile(const Tile &tile) {
  if (!kept) {
    layOut();
  }
  if (schedule.keepsRows()) {
    keepRows(tile);
  }
  if (!streamMatrix(tile)) {
    stream(tile);
  }
  storeBlock(tile, sums, sumStride);
}

std::unique_ptr<GemmEmitter> makeGemv(KernelFrame &frame, GemmTerms &problem,
                                      GemmEpilogue &epilogue, const GemmSchedule &schedule) {
  return std::make_unique<Gemv>(frame, problem, epilogue, schedule);
}

} // namespace drumlin::codegen

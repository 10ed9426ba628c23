// GEMV (skinny products), for few rows: they are evaluated once into scratch memory; the operand of
// many columns is read once, in the order in which it lies.
#include "drumlin/codegen/cpu/gemm/GemmEmitter.h"

using namespace llvm;

namespace drumlin::codegen {

namespace {
class Gemv : public GemmEmitter {
public:
  using GemmEmitter::GemmEmitter;

protected:
  void emitTile(const Tile &tile) override;

private:
  LaneIndex rowAt(const Tile &tile, int64_t number);
  void keepRows(const Tile &tile);
  void streamColumns(const Tile &tile);
  void addDepths(const Tile &tile, Value *begin, Value *end, int64_t count);
  void streamDepth(const Tile &tile);
  SmallVector<Value *> addLanes(const Tile &tile, ArrayRef<Value *> columns, Value *base,
                                Value *mask, ArrayRef<Value *> before);
  Value *sumLanes(Value *vector);
  // In sumType, whatever form the products could take elsewhere.
  Value *columnValue(const Tile &tile, const LaneIndex &column, const LaneIndex &depth) {
    return columnTerm(tile, column, depth);
  }

  Type *sumType = nullptr;
  int64_t rows = 0;
  int64_t width = lanes; // of the vectors
  bool wholeColumns = false;
  int64_t keptStride = 0, sumStride = 0;
  Value *kept = nullptr, *sums = nullptr;
};
} // namespace

// The tile's last row stands for those that it lacks.
LaneIndex Gemv::rowAt(const Tile &tile, int64_t number) {
  Value *last = b.CreateSub(tile.rows, constant(1));
  return index.scalar(b.CreateBinaryIntrinsic(Intrinsic::smin, constant(number), last));
}

// Whole registers of k, zero beyond its end.
void Gemv::keepRows(const Tile &tile) {
  for (int64_t i = 0; i < rows; ++i) {
    LaneIndex row = rowAt(tile, i);
    Value *target = at(sumType, kept, constant(i * keptStride));
    forLanes(constant(problem.k), problem.k % width == 0, [&](Value *base, Value *mask) {
      Value *value = rowTerm(tile, row, index.laneOf(base, width));
      b.CreateAlignedStore(zeroInactive(e.splat(value), mask), at(sumType, target, base),
                           Align(64));
    });
  }
}

//===- contiguous columns -----------------------------------------------------------===//

// sums[row][column] += kept[row][k] * operand[k][column] for `count` values of k at a time: as many
// rows of the operand are read side by side.
void Gemv::addDepths(const Tile &tile, Value *begin, Value *end, int64_t count) {
  auto *vector = vectorOf(sumType, width);
  e.emitLoop(begin, end, count, [&](Value *depth) {
    SmallVector<Value *> factors;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < count; ++j) {
        Value *from = at(sumType, kept, b.CreateAdd(depth, constant(i * keptStride + j)));
        factors.push_back(e.splat(b.CreateLoad(sumType, from)));
      }
    }
    forLanes(tile.columns, wholeColumns, [&](Value *column, Value *) {
      SmallVector<Value *> places, values;
      for (int64_t i = 0; i < rows; ++i) {
        places.push_back(at(sumType, sums, b.CreateAdd(column, constant(i * sumStride))));
        values.push_back(b.CreateAlignedLoad(vector, places.back(), Align(64)));
      }
      for (int64_t j = 0; j < count && schedule.prefetchColumns != 0; ++j) {
        prefetch([&]() {
          LaneIndex ahead = index.scalar(
              b.CreateAdd(depth, constant(schedule.prefetchColumns + j), "", true, true));
          columnValue(tile, index.laneOf(column, width), ahead);
        });
      }
      for (int64_t j = 0; j < count; ++j) {
        LaneIndex atDepth = index.scalar(b.CreateAdd(depth, constant(j), "", true, true));
        Value *term = e.splat(columnValue(tile, index.laneOf(column, width), atDepth));
        for (int64_t i = 0; i < rows; ++i) {
          Value *&value = values[static_cast<size_t>(i)];
          value = multiplyAdd(factors[static_cast<size_t>(i * count + j)], term, value);
        }
      }
      for (auto [place, value] : zip(places, values)) {
        b.CreateAlignedStore(value, place, Align(64));
      }
    });
  });
}

void Gemv::streamColumns(const Tile &tile) {
  auto *vector = vectorOf(sumType, width);
  for (int64_t i = 0; i < rows; ++i) {
    Value *target = at(sumType, sums, constant(i * sumStride));
    e.emitLoop(constant(0), tile.columns, width, [&](Value *column) {
      b.CreateAlignedStore(Constant::getNullValue(vector), at(sumType, target, column), Align(64));
    });
  }
  int64_t whole = problem.k / schedule.sideBySide * schedule.sideBySide;
  if (whole > 0) {
    addDepths(tile, constant(0), constant(whole), schedule.sideBySide);
  }
  if (whole < problem.k) {
    addDepths(tile, constant(whole), constant(problem.k), 1);
  }
}

//===- contiguous k ------------------------------------------------------------------===//

SmallVector<Value *> Gemv::addLanes(const Tile &tile, ArrayRef<Value *> columns, Value *base,
                                    Value *mask, ArrayRef<Value *> before) {
  auto *vector = vectorOf(sumType, width);
  SmallVector<Value *> after(before), factors;
  for (int64_t i = 0; i < rows; ++i) {
    if (schedule.keepsRows()) {
      Value *from = at(sumType, kept, b.CreateAdd(base, constant(i * keptStride)));
      factors.push_back(b.CreateAlignedLoad(vector, from, Align(64)));
    } else {
      factors.push_back(
          zeroInactive(e.splat(rowTerm(tile, rowAt(tile, i), index.laneOf(base, width))), mask));
    }
  }
  for (auto [c, column] : enumerate(columns)) {
    if (schedule.prefetchColumns != 0 && !mask) {
      Value *ahead = b.CreateAdd(base, constant(schedule.prefetchColumns), "", true, true);
      prefetch([&]() { columnValue(tile, index.scalar(column), index.laneOf(ahead, width)); });
    }
    Value *term = e.splat(columnValue(tile, index.scalar(column), index.laneOf(base, width)));
    term = zeroInactive(term, mask);
    for (int64_t i = 0; i < rows; ++i) {
      size_t sum = c * static_cast<size_t>(rows) + static_cast<size_t>(i);
      after[sum] = multiplyAdd(factors[static_cast<size_t>(i)], term, before[sum]);
    }
  }
  return after;
}

Value *Gemv::sumLanes(Value *vector) {
  for (int half = static_cast<int>(width) / 2; half > 0; half /= 2) {
    SmallVector<int> low, high;
    for (int lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(lane + half);
    }
    Value *x = b.CreateShuffleVector(vector, low), *y = b.CreateShuffleVector(vector, high);
    vector = sumType->isFloatingPointTy() ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
  }
  return b.CreateExtractElement(vector, uint64_t(0));
}

void Gemv::streamDepth(const Tile &tile) {
  auto *vector = vectorOf(sumType, width);
  // Several columns at a time, so that their reads and sums overlap; the last ones may be computed
  // twice.
  Value *lastColumn = b.CreateSub(tile.columns, constant(1));
  e.emitLoop(constant(0), tile.columns, schedule.sideBySide, [&](Value *column) {
    SmallVector<Value *> columns;
    for (int64_t c = 0; c < schedule.sideBySide; ++c) {
      columns.push_back(
          b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateAdd(column, constant(c)), lastColumn));
    }
    SmallVector<Value *> carried(static_cast<size_t>(schedule.sideBySide * rows),
                                 Constant::getNullValue(vector));
    int64_t whole = problem.k / width * width;
    if (whole > 0) {
      carried = e.emitLoop(constant(0), constant(whole), width, carried,
                           [&](Value *base, ArrayRef<Value *> before) {
                             return addLanes(tile, columns, base, nullptr, before);
                           });
    }
    if (whole < problem.k) {
      SmallVector<Constant *> active;
      for (int64_t lane = 0; lane < width; ++lane) {
        active.push_back(b.getInt1(lane < problem.k - whole));
      }
      Value *saved = e.activeLanes();
      e.setActiveLanes(ConstantVector::get(active));
      e.pushScope();
      carried = addLanes(tile, columns, constant(whole), e.activeLanes(), carried);
      e.popScope();
      e.setActiveLanes(saved);
    }
    for (int64_t c = 0; c < schedule.sideBySide; ++c) {
      for (int64_t i = 0; i < rows; ++i) {
        Value *sum = sumLanes(carried[static_cast<size_t>(c * rows + i)]);
        Value *place = b.CreateAdd(columns[static_cast<size_t>(c)], constant(i * sumStride));
        b.CreateStore(sum, at(sumType, sums, place));
      }
    }
  });
}

void Gemv::emitTile(const Tile &tile) {
  if (!kept) {
    sumType = problem.sumLlvmType();
    rows = schedule.tileRows;
    width = schedule.vectorLanes;
    wholeColumns =
        tiles.columns % width == 0 && (tiles.columnTiles == 1 || schedule.tileColumns % width == 0);
    keptStride = (problem.k + width - 1) / width * width;
    sumStride = (schedule.tileColumns + width - 1) / width * width;
    kept = allocate(sumType, schedule.keepsRows() ? rows * keptStride : 0);
    sums = allocate(sumType, rows * sumStride);
  }
  index.setWidth(static_cast<unsigned>(width));
  if (schedule.keepsRows()) {
    keepRows(tile);
  }
  if (schedule.columnsAlongK) {
    streamDepth(tile);
  } else {
    streamColumns(tile);
  }
  index.setWidth(lanes);
  storeBlock(tile, sums, sumStride);
}

std::unique_ptr<GemmEmitter> makeGemv(KernelFrame &frame, GemmTerms &problem,
                                      GemmEpilogue &epilogue, const GemmSchedule &schedule) {
  return std::make_unique<Gemv>(frame, problem, epilogue, schedule);
}

} // namespace drumlin::codegen

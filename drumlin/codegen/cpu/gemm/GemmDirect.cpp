// Direct convolutions, which don't unfold windows. If the elements of a window are contiguous in
// the input along the last spatial dimension and the features, adjacent outputs read overlapping
// runs of one input row. The micro-kernel broadcasts directly from a copy of that row in which
// padding is filled in, so only rows are copied, instead of every window.
//
// For each row of outputs, the scratch memory holds one padded input row for each position of the
// window in the outer spatial dimensions. The convolution's kernel is packed in panels one register
// wide, each with all of k.
#include "drumlin/codegen/cpu/gemm/GemmEmitter.h"
#include "drumlin/codegen/cpu/gemm/GemmPacking.h"

using namespace llvm;

namespace drumlin::codegen {

namespace {
class DirectConvolution : public GemmEmitter {
public:
  DirectConvolution(KernelFrame &frame, GemmTerms &problem, GemmEpilogue &epilogue,
                    const GemmSchedule &schedule)
      : GemmEmitter(frame, problem, epilogue, schedule), window(*problem.windowRuns()),
        blocks(window) {}

protected:
  void emitTile(const Tile &tile) override;

private:
  void copyRows(const Tile &tile, Value *outputRows);
  void packColumns(const Tile &tile);
  void multiplyBlock(Value *outputRow, Value *output, Value *column);
  bool isLongSum() const {
    return problem.k > blocks.terms() && problem.sumLlvmType()->isFloatingPointTy();
  }
  using AddTerms = function_ref<SmallVector<Value *>(Value *, Value *, Value *, Value *)>;
  SmallVector<Value *> sumOfBlocks(ArrayRef<Value *> zeros, AddTerms add);

  WindowRuns window;
  BlocksOfWindow blocks;
  PackedPanels panels;
  int64_t rowStride = 0, sumStride = 0; // in elements
  Value *rows = nullptr, *sums = nullptr, *block = nullptr;
  Value *joined = nullptr; // memory for the two values of each compensated sum (SumOfBlocks)
};
} // namespace

void DirectConvolution::copyRows(const Tile &tile, Value *outputRows) {
  Type *type = problem.unitType();
  auto [first, last] = problem.windowRowInside();
  e.emitLoop(constant(0), outputRows, 1, [&, first = first, last = last](Value *row) {
    LaneIndex atM = index.add(tile.row0, index.multiply(index.scalar(row), window.outputs));
    e.emitLoop(constant(0), constant(window.outer), 1, [&](Value *outer) {
      LaneIndex atK = index.multiply(index.scalar(outer), window.run);
      Value *number = b.CreateAdd(b.CreateMul(row, constant(window.outer)), outer);
      Value *target = at(type, rows, b.CreateMul(number, constant(rowStride), "", true, true));
      auto copy = [&](Value *begin, Value *end, bool isInRow) {
        e.emitLoop(begin, end, lanes, [&](Value *element) {
          Value *value = problem.windowRow(atM, atK, element, isInRow);
          b.CreateAlignedStore(value, at(type, target, element), Align(64));
        });
      };
      if (first < last) {
        copy(constant(first), constant(last), true);
      }
      // One loop computes both ends of the row, so that the code that computes the input is emitted
      // only once.
      e.emitLoop(constant(first > 0 ? 0 : 1), constant(last < window.rowElements ? 2 : 1), 1,
                 [&](Value *end) {
                   Value *isLast = b.CreateICmpNE(end, constant(0));
                   copy(b.CreateSelect(isLast, constant(last), constant(0)),
                        b.CreateSelect(isLast, constant(window.rowElements), constant(first)),
                        false);
                 });
    });
  });
}

void DirectConvolution::packColumns(const Tile &tile) {
  auto term = [&](const LaneIndex &free, const LaneIndex &k) { return columnTerm(tile, free, k); };
  GemmPacking::Range range(term);
  range.free = tile.columns;
  range.wholeFree = tile.wholeColumns;
  range.first = index.constant(0);
  range.terms = constant(problem.k);
  range.wholeTerms = problem.k % static_cast<int64_t>(lanes) == 0;
  range.wholeElements = true;
  GemmPacking pack(e, cpu, problem.packedElement(), block);
  schedule.columnsAlongK ? pack.columnsAlongK(range, panels)
                         : pack.columnsAlongFree(range, panels, schedule.columnsFirst);
}

// Returns the sums of all blocks of k. Registers hold the sums of the current block; memory holds
// the compensated sums of the earlier blocks.
SmallVector<Value *> DirectConvolution::sumOfBlocks(ArrayRef<Value *> zeros, AddTerms add) {
  auto *vector = cast<FixedVectorType>(zeros.front()->getType());
  auto count = static_cast<int64_t>(zeros.size());
  auto place = [&](int64_t number) {
    return at(problem.unitType(), joined, constant(number * panels.width));
  };
  auto load = [&](int64_t number) { return b.CreateAlignedLoad(vector, place(number), Align(16)); };
  for (int64_t i = 0; i < 2 * count; ++i) {
    b.CreateAlignedStore(zeros.front(), place(i), Align(16));
  }
  Value *rowsEnd = constant(window.outer), *runEnd = constant(window.run);
  auto behind = [&](Value *first, int64_t size, Value *end) {
    return b.CreateBinaryIntrinsic(Intrinsic::smin, plus(first, size), end);
  };
  e.emitLoop(constant(0), rowsEnd, blocks.rows, [&](Value *row) {
    e.emitLoop(constant(0), runEnd, blocks.run, [&](Value *first) {
      SmallVector<Value *> sums =
          add(row, behind(row, blocks.rows, rowsEnd), first, behind(first, blocks.run, runEnd));
      for (int64_t i = 0; i < count; ++i) {
        SumOfBlocks made =
            codegen::addBlock(b, {load(i), load(count + i)}, sums[static_cast<size_t>(i)]);
        b.CreateAlignedStore(made.sum, place(i), Align(16));
        b.CreateAlignedStore(made.left, place(count + i), Align(16));
      }
    });
  });
  SmallVector<Value *> made;
  for (int64_t i = 0; i < count; ++i) {
    made.push_back(SumOfBlocks{load(i), load(count + i)}.total(b));
  }
  return made;
}

// Computes a block of kernelRows adjacent outputs × kernelVectors registers of columns, over all of
// k.
void DirectConvolution::multiplyBlock(Value *outputRow, Value *output, Value *column) {
  Type *type = problem.unitType();
  auto *vector = vectorOf(type, panels.width);
  int64_t vectors = kernelVectors;
  SmallVector<Value *> zeros(static_cast<size_t>(schedule.kernelRows * vectors),
                             Constant::getNullValue(vector));
  Value *firstPanelAt = b.CreateLShr(column, Log2_64(static_cast<uint64_t>(panels.width)));
  Value *columnBase = at(type, panels.memory, times(firstPanelAt, panels.stride));
  Value *firstRow = b.CreateMul(outputRow, constant(window.outer), "", true, true);
  Value *along = b.CreateMul(output, constant(window.step), "", true, true);
  // Returns the sums over rows [firstOuter, lastOuter) of the window and elements [begin, end) of
  // each row.
  auto addTerms = [&](Value *firstOuter, Value *lastOuter, Value *begin, Value *end) {
    return e.emitLoop(
        firstOuter, lastOuter, 1, zeros,
        [&](Value *outer, ArrayRef<Value *> atOuter) -> SmallVector<Value *> {
          Value *inRow = b.CreateMul(b.CreateAdd(firstRow, outer), constant(rowStride));
          Value *rowBase = at(type, rows, b.CreateAdd(inRow, along, "", true, true));
          Value *panelBase =
              at(type, columnBase, b.CreateMul(outer, constant(window.run * panels.width)));
          return e.emitLoop(
              begin, end, 1, atOuter,
              [&](Value *unit, ArrayRef<Value *> before) -> SmallVector<Value *> {
                SmallVector<Value *> after(before), columns;
                Value *from =
                    at(type, panelBase, b.CreateMul(unit, constant(panels.width), "", true, true));
                for (int64_t v = 0; v < vectors; ++v) {
                  columns.push_back(b.CreateAlignedLoad(
                      vector, at(type, from, times(panels.stride, v)), Align(16)));
                }
                Value *fromRow = at(type, rowBase, unit);
                for (int64_t i = 0; i < schedule.kernelRows; ++i) {
                  Value *scalar =
                      b.CreateAlignedLoad(type, at(type, fromRow, constant(i * window.step)),
                                          Align(static_cast<uint64_t>(bytesOf(type))));
                  Value *broadcast =
                      b.CreateVectorSplat(static_cast<unsigned>(panels.width), scalar);
                  for (int64_t v = 0; v < vectors; ++v) {
                    auto sum = static_cast<size_t>(i * vectors + v);
                    after[sum] =
                        multiplyAdd(broadcast, columns[static_cast<size_t>(v)], before[sum]);
                  }
                }
                return after;
              });
        });
  };
  SmallVector<Value *> done = isLongSum() ? sumOfBlocks(zeros, addTerms)
                                          : addTerms(constant(0), constant(window.outer),
                                                     constant(0), constant(window.run));
  Value *firstOutput =
      b.CreateAdd(b.CreateMul(outputRow, constant(window.outputs)), output, "", true, true);
  Value *target =
      at(type, sums,
         b.CreateAdd(b.CreateMul(firstOutput, constant(sumStride)), column, "", true, true));
  for (int64_t i = 0; i < schedule.kernelRows; ++i) {
    for (int64_t v = 0; v < vectors; ++v) {
      b.CreateAlignedStore(done[static_cast<size_t>(i * vectors + v)],
                           at(type, target, constant(i * sumStride + v * panels.width)), Align(16));
    }
  }
}

void DirectConvolution::emitTile(const Tile &tile) {
  Type *type = problem.unitType();
  int64_t outputRows = schedule.tileRows / window.outputs;
  if (!rows) {
    panels.type = type;
    panels.width = frame.target.registerLanes(bytesOf(type));
    int64_t step = kernelVectors * panels.width;
    int64_t columns = (schedule.tileColumns + lanes - 1) / lanes * lanes;
    columns = (columns + step - 1) / step * step;
    // Additional elements keep rows and panels from mapping to the same cache sets.
    int64_t packedTerms = (problem.k + lanes - 1) / lanes * lanes; // k rounded up to full registers
    int64_t panelStride = ((schedule.columnsAlongK ? packedTerms : problem.k) + 1) * panels.width;
    panels.stride = constant(panelStride);
    rowStride = (window.rowElements + lanes - 1) / lanes * lanes + lanes;
    sumStride = columns + lanes;
    panels.memory = allocate(type, columns / panels.width * panelStride);
    rows = allocate(type, outputRows * window.outer * rowStride);
    sums = allocate(type, schedule.tileRows * sumStride);
    joined = isLongSum() ? allocate(type, 2 * schedule.kernelRows * kernelVectors * panels.width)
                         : nullptr;
    block = schedule.columnsAlongK ? allocate(type, lanes * lanes) : nullptr;
  }
  Value *count = b.CreateUDiv(tile.rows, constant(window.outputs));
  packColumns(tile);
  copyRows(tile, count);
  int64_t steps = (window.outputs + schedule.kernelRows - 1) / schedule.kernelRows;
  e.emitLoop(constant(0), tile.columns, kernelVectors * panels.width, [&](Value *column) {
    e.emitLoop(constant(0), count, 1, [&](Value *outputRow) {
      e.emitLoop(constant(0), constant(steps), 1, [&](Value *step) {
        // A last step of a row that would be partial begins earlier, so that it is full. It
        // recomputes some outputs, with bitwise equal results.
        Value *output = b.CreateBinaryIntrinsic(Intrinsic::smin,
                                                b.CreateMul(step, constant(schedule.kernelRows)),
                                                constant(window.outputs - schedule.kernelRows));
        multiplyBlock(outputRow, output, column);
      });
    });
  });
  storeBlock(tile, sums, sumStride);
}

std::unique_ptr<GemmEmitter> makeDirectConvolution(KernelFrame &frame, GemmTerms &problem,
                                                   GemmEpilogue &epilogue,
                                                   const GemmSchedule &schedule) {
  return std::make_unique<DirectConvolution>(frame, problem, epilogue, schedule);
}

} // namespace drumlin::codegen

// The GEMM kernel: one dot or convolution with its prologue and epilogue.
#include "drumlin/codegen/cpu/element/TransposeLanes.h"
#include "drumlin/codegen/cpu/gemm/GemmEmitter.h"
#include "drumlin/codegen/cpu/gemm/StoreRoutine.h"
#include "drumlin/ir/plan/CodeEffort.h"
#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/ir/plan/gemm/GemmAccess.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

using namespace llvm;

namespace drumlin::codegen {

//===- shared by the algorithms -------------------------------------------------===//

Value *GemmEmitter::allocate(Type *type, int64_t count) {
  Value *area = b.CreateInBoundsGEP(b.getInt8Ty(), frame.scratch, constant(scratchBytes));
  scratchBytes += (count * bytesOf(type) + 63) / 64 * 64;
  return area;
}

Value *GemmEmitter::rowTerm(const Tile &tile, const LaneIndex &row, const LaneIndex &depth) {
  return problem.term(rowOperand(), tile.batch, index.add(tile.row0, row), depth);
}

Value *GemmEmitter::columnTerm(const Tile &tile, const LaneIndex &column, const LaneIndex &depth) {
  return problem.term(columnOperand(), tile.batch, index.add(tile.column0, column), depth);
}

Function *GemmEmitter::functionOf(const Routine &routine) {
  bool isInlined = isTooLittleForCalls(schedule, tiles, contracted) &&
                   plan::codeEffort(frame.kernel) == plan::CodeEffort::Full;
  return routine.in(frame.module, cpu, isInlined ? RoutineLibrary() : frame.routines);
}

bool GemmEmitter::storeMatrix(const Tile &tile, Value *sums, int64_t stride) {
  std::optional<GemmTerms::ResultMatrix> to = epilogue.resultMatrix();
  if (!to || (schedule.swapped ? to->m : to->n).constant() != 1) {
    return false;
  }
  StoreRoutine routine;
  routine.sums = problem.sumType;
  routine.memory = to->buffer.type;
  const SizeExpression &ofRows = schedule.swapped ? to->n : to->m;
  Value *first = plus(e.extent(to->offset), times(tile.batch.base, to->batch));
  first = plus(first, plus(times(tile.row0.base, ofRows), tile.column0.base));
  StoreRoutine::Arguments given = {};
  given.sums = sums;
  given.sumStride = constant(stride);
  given.to = at(e.memoryType(routine.memory), to->buffer.pointer, first);
  given.stride = e.extent(ofRows);
  given.rows = tile.rows;
  given.columns = tile.columns;
  routine.call(b, functionOf(routine), given);
  return true;
}

void GemmEmitter::storeTransposed(const Tile &tile, Value *sums, int64_t stride) {
  Type *sumType = problem.sumLlvmType();
  auto *vector = vectorOf(sumType);
  if (!transposed) {
    transposed = allocate(sumType, static_cast<int64_t>(lanes) * lanes);
  }
  e.emitLoop(constant(0), tile.columns, lanes, [&](Value *column) {
    Value *left = b.CreateSub(tile.columns, column);
    Value *columns = b.CreateBinaryIntrinsic(Intrinsic::smin, left, constant(lanes));
    forLanes(tile.rows, tile.wholeRows, [&](Value *row, Value *) {
      // The sums' memory is padded to full blocks, so full rows can be loaded.
      Value *first = at(sumType, sums, plus(times(row, constant(stride)), column));
      SmallVector<Value *> block;
      for (unsigned i = 0; i < lanes; ++i) {
        Value *place = at(sumType, first, constant(i * stride));
        block.push_back(b.CreateAlignedLoad(vector, place, Align(16)));
      }
      transposeLanes(b, block);
      for (unsigned i = 0; i < lanes; ++i) {
        b.CreateAlignedStore(block[i], at(sumType, transposed, constant(i * lanes)), Align(64));
      }
      LaneIndex atRow = index.add(tile.row0, index.laneOf(row, lanes));
      e.emitLoop(constant(0), columns, 1, [&](Value *inBlock) {
        LaneIndex atColumn = index.add(tile.column0, index.scalar(plus(column, inBlock)));
        Value *place = at(sumType, transposed, times(inBlock, constant(lanes)));
        const LaneIndex &atM = schedule.swapped ? atColumn : atRow,
                        &atN = schedule.swapped ? atRow : atColumn;
        epilogue.store(b.CreateAlignedLoad(vector, place, Align(64)),
                       problem.resultIndex(tile.batch, atM, atN));
      });
    });
  });
}

void GemmEmitter::storeBlock(const Tile &tile, Value *sums, int64_t stride) {
  if (storeMatrix(tile, sums, stride)) {
    return;
  }
  int64_t alongM = contiguousResults(problem, 1), alongN = contiguousResults(problem, 2);
  if (transposesResults(schedule, problem, schedule.swapped ? alongN : alongM,
                        schedule.swapped ? alongM : alongN)) {
    storeTransposed(tile, sums, stride);
    return;
  }
  Type *sumType = problem.sumLlvmType();
  e.emitLoop(constant(0), tile.rows, 1, [&](Value *row) {
    LaneIndex atRow = index.add(tile.row0, index.scalar(row));
    Value *rowSums = at(sumType, sums, b.CreateMul(row, constant(stride), "", true, true));
    forLanes(tile.columns, tile.wholeColumns, [&](Value *column, Value *) {
      LaneIndex atColumn = index.add(tile.column0, index.laneOf(column, lanes));
      Value *loaded =
          b.CreateAlignedLoad(vectorOf(sumType), at(sumType, rowSums, column), Align(16));
      const LaneIndex &atM = schedule.swapped ? atColumn : atRow,
                      &atN = schedule.swapped ? atRow : atColumn;
      Value *saved = e.activeLanes();
      if (Value *exists = problem.exists(atM)) {
        e.setActiveLanes(saved ? b.CreateAnd(saved, exists) : exists);
      }
      epilogue.store(loaded, problem.resultIndex(tile.batch, atM, atN));
      e.setActiveLanes(saved);
    });
  });
}

//===- sizes --------------------------------------------------------------------===//

void GemmEmitter::emitExtent(Value *position, const Size &count, const Size &size, int64_t step,
                             const Size &total, LaneIndex &first, Value *&extent) {
  if (count.is(1)) {
    first = index.constant(0);
    extent = this->extent(total);
    return;
  }
  Value *whole = this->extent(size);
  Value *start = b.CreateMul(position, whole, "", true, true);
  first = index.scalar(start, step);
  extent = total.isMultipleOf(size)
               ? whole
               : b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateSub(this->extent(total), start),
                                         whole);
}

// Returns whether the size of each tile along a dimension is a multiple of the lanes.
static bool isWhole(const Size &total, const Size &count, int64_t size) {
  return total.isMultipleOf(lanes) && (count.is(1) || size % static_cast<int64_t>(lanes) == 0);
}

// Returns why the schedule can't be emitted for the kernel's symbolic sizes; empty if it can.
std::string GemmEmitter::findSizeFault() const {
  if (tiles.tiles.is(0)) {
    return "";
  }
  if (!contracted.constant() && schedule.algorithm != plan::GemmAlgorithm::packed) {
    return "a dynamic contracting dimension requires the packed algorithm";
  }
  if (tiles.tiles.constant()) {
    return "";
  }
  return schedule.algorithm == plan::GemmAlgorithm::batch_interleaved
             ? "the batch-interleaved algorithm requires static sizes"
             : "";
}

GemmEmitter::Tile GemmEmitter::tileAt(Value *number) {
  Tile tile;
  Value *rowTiles = extent(tiles.rowTiles), *columnTiles = extent(tiles.columnTiles);
  Value *rest = b.CreateUDiv(number, rowTiles);
  Value *rowTile = b.CreateURem(number, rowTiles);
  Value *columnTile = b.CreateURem(rest, columnTiles);
  tile.batch = index.scalar(b.CreateUDiv(rest, columnTiles));
  emitExtent(rowTile, tiles.rowTiles, tiles.tileRows, rowStep(), tiles.rows, tile.row0, tile.rows);
  emitExtent(columnTile, tiles.columnTiles, schedule.tileColumns, schedule.tileColumns,
             tiles.columns, tile.column0, tile.columns);
  tile.wholeColumns = isWhole(tiles.columns, tiles.columnTiles, schedule.tileColumns);
  tile.wholeRows = isWhole(tiles.rows, tiles.rowTiles, rowStep());
  return tile;
}

// Emits the tiles of all tasks of the work items.
void GemmEmitter::emitTasks(Value *partials) {
  Value *perTask = constant(schedule.tilesPerTask);
  Value *begin = b.CreateMul(frame.tileBegin, perTask, "", true, true);
  Value *end = b.CreateMul(frame.tileEnd, perTask, "", true, true);
  end = b.CreateBinaryIntrinsic(Intrinsic::smin, end, extent(tiles.tiles));
  if (tiles.tiles.is(1)) {
    end = constant(1);
    begin = constant(0);
  }
  e.emitLoop(begin, end, 1, [&](Value *number) {
    Tile tile = tileAt(number);
    epilogue.beginTile();
    emitTile(tile);
    epilogue.endTile(partials, number);
  });
}

//===- items ----------------------------------------------------------------------===//

// A range of a tile's items, which are numbered along rows first, is up to three rectangles: the
// rest of a column of items, whole columns, and the start of a column. If items divide k, each part
// of k counts as a tile.
void GemmEmitter::emitItems(Value *begin, Value *end) {
  const int64_t perTile = tiles.rowItems * tiles.columnItems;
  Value *items = constant(perTile), *perColumn = constant(tiles.rowItems), *one = constant(1);
  Value *firstTile = b.CreateUDiv(begin, items);
  Value *endTile = b.CreateUDiv(b.CreateAdd(end, constant(perTile - 1)), items);
  e.emitLoop(firstTile, endTile, 1, [&](Value *number) {
    Value *parts = constant(tiles.depthItems);
    Tile tile = tileAt(tiles.depthItems == 1 ? number : b.CreateUDiv(number, parts));
    tile.part = tiles.depthItems == 1 ? nullptr : b.CreateURem(number, parts);
    Value *first = b.CreateMul(number, items, "", true, true);
    auto inTile = [&](Value *item) {
      Value *from = b.CreateBinaryIntrinsic(Intrinsic::smax, b.CreateSub(item, first), constant(0));
      return b.CreateBinaryIntrinsic(Intrinsic::smin, from, items);
    };
    Value *from = inTile(begin), *to = inTile(end);
    Value *column = b.CreateUDiv(from, perColumn), *row = b.CreateURem(from, perColumn);
    Value *endColumn = b.CreateUDiv(to, perColumn), *endRow = b.CreateURem(to, perColumn);
    Value *startsInside = b.CreateICmpNE(row, constant(0));
    Value *wholeColumn = b.CreateAdd(column, b.CreateZExt(startsInside, b.getInt64Ty()));
    e.emitLoop(constant(0), constant(3), 1, [&](Value *part) {
      Value *isFirst = b.CreateICmpEQ(part, constant(0));
      Value *isMiddle = b.CreateICmpEQ(part, one);
      auto choose = [&](Value *ofFirst, Value *ofMiddle, Value *ofLast) {
        return b.CreateSelect(isFirst, ofFirst, b.CreateSelect(isMiddle, ofMiddle, ofLast));
      };
      // The first part ends where the range or its column does. A range that ends in the column in
      // which it starts has no last part.
      Value *rowsLeft = b.CreateSub(to, b.CreateMul(column, perColumn));
      Value *headEnd = b.CreateBinaryIntrinsic(Intrinsic::smin, rowsLeft, perColumn);
      Value *hasLast = b.CreateICmpSGE(endColumn, wholeColumn);
      Value *lastEnd = b.CreateSelect(hasLast, endRow, constant(0));
      Value *rows[] = {choose(row, constant(0), constant(0)), choose(headEnd, perColumn, lastEnd)};
      Value *columns[] = {choose(column, wholeColumn, endColumn),
                          choose(wholeColumn, endColumn, b.CreateAdd(endColumn, one))};
      emitRectangle(tile, rows[0], rows[1], columns[0], columns[1]);
    });
  });
}

void GemmEmitter::emitRectangle(const Tile &tile, Value *firstRow, Value *endRow,
                                Value *firstColumn, Value *endColumn) {
  auto cutOut = [&](Value *firstItem, Value *endItem, int64_t size, const LaneIndex &tileFirst,
                    Value *inTile, LaneIndex &first) {
    Value *begin = b.CreateMul(firstItem, constant(size), "", true, true);
    Value *end = b.CreateMul(endItem, constant(size), "", true, true);
    end = b.CreateBinaryIntrinsic(Intrinsic::smin, end, inTile);
    first = index.add(tileFirst, index.scalar(begin, size));
    return b.CreateSub(end, begin);
  };
  Tile part = tile;
  part.rows = cutOut(firstRow, endRow, schedule.itemRows, tile.row0, tile.rows, part.row0);
  part.columns = cutOut(firstColumn, endColumn, schedule.itemColumns, tile.column0, tile.columns,
                        part.column0);
  Value *isPresent = b.CreateAnd(b.CreateICmpSGT(part.rows, constant(0)),
                                 b.CreateICmpSGT(part.columns, constant(0)));
  // A loop of at most one iteration serves as a branch.
  e.emitLoop(constant(0), b.CreateZExt(isPresent, b.getInt64Ty()), 1, [&](Value *) {
    epilogue.beginTile();
    emitTile(part);
  });
}

int64_t GemmEmitter::emit() {
  if (std::string fault = findSizeFault(); !fault.empty()) {
    e.fail(diagnose(errors::UnsupportedDynamicShape,
                    "no native code for kernel `" + frame.kernel.getSymName().str() +
                        "` at sizes known only at run time: " + fault,
                    plan::sourceOf(frame.kernel.getLoc())));
    return 0;
  }
  // If there is a single work item, its partial results are in scratch memory.
  Value *partials = nullptr;
  bool ownPartials = epilogue.hasReductions() && tiles.tasks.is(1);
  if (ownPartials) {
    partials = allocate(b.getInt64Ty(), tiles.tiles.nominal * epilogue.partialBytesPerTile() / 8);
  } else if (epilogue.hasReductions()) {
    partials = b.CreateAlignedLoad(b.getPtrTy(), frame.partials, Align(8));
  }
  if (schedule.itemRows != 0) {
    emitItems(frame.tileBegin, frame.tileEnd);
  } else if (!tiles.tiles.is(0)) {
    emitTasks(partials);
  }
  // A loop of at most one iteration serves as a branch.
  Value *isFirst = b.CreateICmpEQ(frame.tileBegin, constant(0));
  e.emitLoop(constant(0), b.CreateZExt(isFirst, b.getInt64Ty()), 1, [&](Value *) {
    epilogue.storeIndependentRoots();
    if (ownPartials) {
      epilogue.finish(frame, partials, tiles.tiles.expression());
    }
  });
  return scratchBytes;
}

//===- the kernel ------------------------------------------------------------------===//

static std::unique_ptr<GemmEmitter> makeGemm(KernelFrame &frame, GemmTerms &problem,
                                             GemmEpilogue &epilogue, const GemmSchedule &schedule) {
  switch (schedule.algorithm) {
  case plan::GemmAlgorithm::packed:
    return makePackedGemm(frame, problem, epilogue, schedule);
  case plan::GemmAlgorithm::gemv:
    return makeGemv(frame, problem, epilogue, schedule);
  case plan::GemmAlgorithm::batch_interleaved:
    return makeBatchInterleavedGemm(frame, problem, epilogue, schedule);
  case plan::GemmAlgorithm::direct:
    return makeDirectConvolution(frame, problem, epilogue, schedule);
  }
  llvm_unreachable("every algorithm is handled above");
}

// Returns why the kernel's schedule can't be emitted for the target; empty if it can.
static std::string findFault(KernelFrame &frame, const GemmSchedule &schedule) {
  const CpuTarget &target = frame.target;
  if (!target.has(schedule.unit)) {
    return "`" + target.name + "` has no unit `" + std::string(info(schedule.unit).name) + "`";
  }
  GemmProblem problem = scheduledProblem(contractionOf(frame.kernel.getBody().front()), schedule);
  return findScheduleFault(schedule, problem, target.registerLanes(problem.sumBytes()));
}

KernelProperties emit(Emission<plan::GemmOp> /*of*/, KernelFrame &frame) {
  KernelProperties properties;
  std::optional<GemmSchedule> schedule = gemmScheduleOf(frame.kernel);
  std::string fault = schedule ? findFault(frame, *schedule) : "it is missing";
  if (!fault.empty()) {
    frame.refuseSchedule(fault);
    return properties;
  }
  GemmTerms problem(frame, *schedule);
  GemmEpilogue epilogue(frame, problem);
  if (frame.emitter.error()) {
    return properties;
  }
  std::unique_ptr<GemmEmitter> emitter = makeGemm(frame, problem, epilogue, *schedule);
  properties.scratchBytes = emitter->emit();
  const GemmTiles &tiles = emitter->cut();
  // There is always at least one work item, because the first one stores the results that don't
  // depend on a tile.
  properties.tiles = Size::larger(tiles.tasks, 1);
  properties.tilesTogether = tiles.rowItems * tiles.columnItems;
  if (tiles.depthItems > 1) {
    properties.partialBytes = emitter->bytesOfParts();
    properties.steps = 2;
  }
  if (epilogue.hasReductions() && !tiles.tasks.is(1)) {
    SizeExpression count = tiles.tiles.expression();
    properties.partialBytes = count * epilogue.partialBytesPerTile();
    properties.hasFinish = true;
    Status status = withKernelFrame(
        frame.kernel, frame.name + "_finish", frame.module, frame.target, frame.routines,
        [&](KernelFrame &finish) {
          IRBuilder<> &b = finish.builder;
          epilogue.finish(finish, b.CreateAlignedLoad(b.getPtrTy(), finish.partials, Align(8)),
                          count);
        });
    if (!status) {
      frame.emitter.fail(status.error());
    }
  }
  return properties;
}

} // namespace drumlin::codegen

// The GEMM kernel: one dot or convolution, with what feeds it and what follows it.
#include "drumlin/codegen/cpu/gemm/GemmEmitter.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/Work.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace drumlin::codegen {

//===- what the algorithms share ------------------------------------------------===//

Value *GemmEmitter::allocate(Type *type, int64_t count) {
  Value *area = b.CreateInBoundsGEP(b.getInt8Ty(), frame.scratch, constant(scratchBytes));
  scratchBytes += (count * bytesOf(type) + 63) / 64 * 64;
  return area;
}

void GemmEmitter::forLanes(Value *end, bool whole, function_ref<void(Value *, Value *)> body,
                           int64_t step) {
  step = step == 0 ? index.width() : step;
  Value *wholeEnd = end;
  if (!whole) {
    wholeEnd = b.CreateAnd(end, constant(-step));
  }
  auto *known = dyn_cast<ConstantInt>(end);
  if (!known || known->getSExtValue() >= step) {
    e.emitLoop(constant(0), wholeEnd, step, [&](Value *base) { body(base, nullptr); });
  }
  if (whole || (known && known->getSExtValue() % step == 0)) {
    return;
  }
  e.emitLoop(wholeEnd, end, step, [&](Value *base) {
    Value *saved = e.activeLanes();
    Value *positions = index.asVector(index.laneOf(base));
    Value *mask = b.CreateICmpSLT(positions, b.CreateVectorSplat(index.width(), end));
    e.setActiveLanes(mask);
    body(base, mask);
    e.setActiveLanes(saved);
  });
}

Value *GemmEmitter::zeroInactive(Value *value, Value *mask) {
  if (!mask) {
    return value;
  }
  Value *vector = e.splat(value);
  return b.CreateSelect(mask, vector, Constant::getNullValue(vector->getType()));
}

Value *GemmEmitter::rowTerm(const Tile &tile, const LaneIndex &row, const LaneIndex &depth) {
  return problem.term(rowOperand(), tile.batch, index.add(tile.row0, row), depth);
}

Value *GemmEmitter::columnTerm(const Tile &tile, const LaneIndex &column, const LaneIndex &depth) {
  return problem.term(columnOperand(), tile.batch, index.add(tile.column0, column), depth);
}

void GemmEmitter::prefetch(function_ref<void()> emitTerm) {
  BasicBlock *block = b.GetInsertBlock();
  Instruction *last = block->empty() ? nullptr : &block->back();
  e.pushScope();
  emitTerm();
  e.popScope();
  if (b.GetInsertBlock() != block) {
    return;
  }
  auto begin = last ? std::next(last->getIterator()) : block->begin();
  SmallVector<Instruction *> emitted;
  for (Instruction &instruction : make_range(begin, block->end())) {
    emitted.push_back(&instruction);
  }
  SmallVector<Value *> addresses;
  for (Instruction *instruction : emitted) {
    auto *intrinsic = dyn_cast<IntrinsicInst>(instruction);
    if (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::masked_load) {
      addresses.push_back(intrinsic->getArgOperand(0));
    } else if (isa<LoadInst>(instruction) && instruction->getType()->isVectorTy()) {
      addresses.push_back(instruction->getOperand(0));
    }
  }
  for (Value *address : addresses) {
    prefetch(address);
  }
  for (Instruction *instruction : reverse(emitted)) {
    if (instruction->use_empty()) {
      instruction->eraseFromParent();
    }
  }
}

void GemmEmitter::prefetch(Value *address) {
  // For reading, into the second cache.
  b.CreateIntrinsic(Intrinsic::prefetch, {address->getType()},
                    {address, b.getInt32(0), b.getInt32(2), b.getInt32(1)});
}

Value *GemmEmitter::multiplyAdd(Value *x, Value *y, Value *sum) {
  if (!sum->getType()->isFPOrFPVectorTy()) {
    return b.CreateAdd(b.CreateMul(x, y), sum);
  }
  if (!frame.target.has("fma")) {
    return b.CreateFAdd(b.CreateFMul(x, y), sum);
  }
  return b.CreateIntrinsic(Intrinsic::fma, {sum->getType()}, {x, y, sum});
}

void GemmEmitter::storeInPanels(const PackedPanels &panels, Value *vector, Value *column,
                                Value *unit) {
  Value *firstPanelAt = b.CreateMul(
      b.CreateLShr(column, Log2_64(static_cast<uint64_t>(panels.width))), constant(panels.stride));
  Value *offset =
      b.CreateAdd(firstPanelAt, b.CreateMul(unit, constant(panels.width)), "", true, true);
  for (int64_t first = 0; first < static_cast<int64_t>(lanes); first += panels.width) {
    SmallVector<int> piece;
    for (int64_t i = 0; i < panels.width; ++i) {
      piece.push_back(static_cast<int>(first + i));
    }
    Value *target = at(panels.type, panels.memory, offset);
    target = at(panels.type, target, constant(first / panels.width * panels.stride));
    Value *values = panels.width == lanes ? vector : b.CreateShuffleVector(vector, piece);
    b.CreateAlignedStore(values, target, Align(16));
  }
}

void GemmEmitter::storeBlock(const Tile &tile, Value *sums, int64_t stride) {
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

int64_t GemmEmitter::emit() {
  // Partial results of a single task need no memory of their own.
  Value *partials = nullptr;
  bool ownPartials = epilogue.hasReductions() && tiles.tasks == 1;
  if (ownPartials) {
    partials = allocate(b.getInt64Ty(), tiles.tiles * epilogue.partialBytesPerTile() / 8);
  } else if (epilogue.hasReductions()) {
    partials = b.CreateAlignedLoad(b.getPtrTy(), frame.partials, Align(8));
  }
  Value *perTask = constant(schedule.tilesPerTask);
  Value *begin = b.CreateMul(frame.tileBegin, perTask, "", true, true);
  Value *end = b.CreateMul(frame.tileEnd, perTask, "", true, true);
  end = b.CreateBinaryIntrinsic(Intrinsic::smin, end, constant(tiles.tiles));
  if (tiles.tiles == 1) {
    end = constant(1);
    begin = constant(0);
  }
  auto emitOne = [&](Value *number) {
    auto extentOf = [&](Value *position, int64_t count, int64_t size, int64_t total,
                        LaneIndex &first, Value *&extent) {
      if (count == 1) {
        first = index.constant(0);
        extent = constant(total);
        return;
      }
      Value *start = b.CreateMul(position, constant(size), "", true, true);
      first = index.scalar(start, size);
      extent = total % size == 0
                   ? constant(size)
                   : b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateSub(constant(total), start),
                                             constant(size));
    };
    Tile tile;
    Value *rest = b.CreateUDiv(number, constant(tiles.rowTiles));
    Value *rowTile = b.CreateURem(number, constant(tiles.rowTiles));
    Value *columnTile = b.CreateURem(rest, constant(tiles.columnTiles));
    tile.batch = index.scalar(b.CreateUDiv(rest, constant(tiles.columnTiles)));
    extentOf(rowTile, tiles.rowTiles, schedule.tileRows, tiles.rows, tile.row0, tile.rows);
    extentOf(columnTile, tiles.columnTiles, schedule.tileColumns, tiles.columns, tile.column0,
             tile.columns);
    tile.wholeColumns =
        tiles.columns % lanes == 0 && (tiles.columnTiles == 1 || schedule.tileColumns % lanes == 0);
    tile.wholeRows =
        tiles.rows % lanes == 0 && (tiles.rowTiles == 1 || schedule.tileRows % lanes == 0);
    epilogue.beginTile();
    emitTile(tile);
    epilogue.endTile(partials, number);
  };
  if (tiles.tiles > 0) {
    e.emitLoop(begin, end, 1, emitOne);
  }
  // A loop of at most one step stands for a condition.
  Value *isFirst = b.CreateICmpEQ(frame.tileBegin, constant(0));
  e.emitLoop(constant(0), b.CreateZExt(isFirst, b.getInt64Ty()), 1, [&](Value *) {
    epilogue.storeIndependentRoots();
    if (ownPartials) {
      epilogue.finish(frame, partials, tiles.tiles);
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

// What keeps the kernel's schedule from being emitted for the target; empty where nothing does.
static std::string findFault(KernelFrame &frame, const GemmSchedule &schedule) {
  const CpuTarget &target = frame.target;
  if (!target.has(schedule.unit)) {
    return "`" + target.name + "` has no unit `" + std::string(info(schedule.unit).name) + "`";
  }
  GemmProblem problem = scheduledProblem(contractionOf(frame.kernel.getBody().front()), schedule);
  return findScheduleFault(schedule, problem, target.registerLanes(problem.sumBytes()));
}

KernelProperties emitGemmKernel(KernelFrame &frame) {
  KernelProperties properties;
  std::optional<GemmSchedule> schedule = gemmScheduleOf(frame.kernel);
  std::string fault = schedule ? findFault(frame, *schedule) : "it has none";
  if (!fault.empty()) {
    frame.refuseSchedule(fault);
    return properties;
  }
  GemmTerms problem(frame, *schedule);
  GemmEpilogue epilogue(frame, problem);
  if (frame.emitter.error()) {
    return properties;
  }
  GemmTiles tiles(*schedule, problem);
  std::unique_ptr<GemmEmitter> emitter = makeGemm(frame, problem, epilogue, *schedule);
  properties.scratchBytes = emitter->emit();
  properties.tiles = std::max<int64_t>(tiles.tasks, 1);
  if (epilogue.hasReductions() && tiles.tasks != 1) {
    properties.partialBytes = tiles.tiles * epilogue.partialBytesPerTile();
    properties.hasFinish = true;
    Status status = withKernelFrame(
        frame.kernel, frame.name + "_finish", frame.module, frame.target, [&](KernelFrame &finish) {
          IRBuilder<> &b = finish.builder;
          epilogue.finish(finish, b.CreateAlignedLoad(b.getPtrTy(), finish.partials, Align(8)),
                          tiles.tiles);
        });
    if (!status) {
      frame.emitter.fail(status.error());
    }
  }
  return properties;
}

} // namespace drumlin::codegen

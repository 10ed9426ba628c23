// The GEMM kernel: one dot or convolution, with what feeds it and what follows it.
#include "drumlin/codegen/cpu/GemmAlternatives.h"
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

Value *GemmEmitter::rowTerm(const Part &part, const LaneIndex &row, const LaneIndex &depth) {
  return problem.term(rowOperand(), part.batch, index.add(part.row0, row), depth);
}

Value *GemmEmitter::columnTerm(const Part &part, const LaneIndex &column, const LaneIndex &depth) {
  return problem.term(columnOperand(), part.batch, index.add(part.column0, column), depth);
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
    // For reading, into the second cache.
    b.CreateIntrinsic(Intrinsic::prefetch, {address->getType()},
                      {address, b.getInt32(0), b.getInt32(2), b.getInt32(1)});
  }
  for (Instruction *instruction : reverse(emitted)) {
    if (instruction->use_empty()) {
      instruction->eraseFromParent();
    }
  }
}

Value *GemmEmitter::multiplyAdd(Value *x, Value *y, Value *sum) {
  if (!sum->getType()->isFPOrFPVectorTy()) {
    return b.CreateAdd(b.CreateMul(x, y), sum);
  }
  if (!frame.target.hasFma) {
    return b.CreateFAdd(b.CreateFMul(x, y), sum);
  }
  return b.CreateIntrinsic(Intrinsic::fma, {sum->getType()}, {x, y, sum});
}

void GemmEmitter::storeInStrips(const Strips &strips, Value *vector, Value *column, Value *unit) {
  Value *firstStrip = b.CreateMul(
      b.CreateLShr(column, Log2_64(static_cast<uint64_t>(strips.width))), constant(strips.stride));
  Value *offset =
      b.CreateAdd(firstStrip, b.CreateMul(unit, constant(strips.width)), "", true, true);
  for (int64_t first = 0; first < static_cast<int64_t>(lanes); first += strips.width) {
    SmallVector<int> piece;
    for (int64_t i = 0; i < strips.width; ++i) {
      piece.push_back(static_cast<int>(first + i));
    }
    Value *target = at(strips.type, strips.memory, offset);
    target = at(strips.type, target, constant(first / strips.width * strips.stride));
    Value *values = strips.width == lanes ? vector : b.CreateShuffleVector(vector, piece);
    b.CreateAlignedStore(values, target, Align(16));
  }
}

void GemmEmitter::storeBlock(const Part &part, Value *sums, int64_t stride) {
  Type *sumType = problem.sumLlvmType();
  e.emitLoop(constant(0), part.rows, 1, [&](Value *row) {
    LaneIndex atRow = index.add(part.row0, index.scalar(row));
    Value *rowSums = at(sumType, sums, b.CreateMul(row, constant(stride), "", true, true));
    forLanes(part.columns, part.wholeColumns, [&](Value *column, Value *) {
      LaneIndex atColumn = index.add(part.column0, index.laneOf(column, lanes));
      Value *loaded =
          b.CreateAlignedLoad(vectorOf(sumType), at(sumType, rowSums, column), Align(16));
      const LaneIndex &atM = schedule.swapped ? atColumn : atRow,
                      &atN = schedule.swapped ? atRow : atColumn;
      Value *saved = e.activeLanes();
      if (Value *exists = problem.exists(atM)) {
        e.setActiveLanes(saved ? b.CreateAnd(saved, exists) : exists);
      }
      epilogue.store(loaded, problem.resultIndex(part.batch, atM, atN));
      e.setActiveLanes(saved);
    });
  });
}

int64_t GemmEmitter::emit() {
  // Partial results of a single tile need no memory of their own.
  Value *partials = nullptr;
  bool ownPartials = epilogue.hasReductions() && schedule.tiles() == 1;
  if (ownPartials) {
    partials = allocate(b.getInt64Ty(), schedule.parts * epilogue.partialBytesPerPart() / 8);
  } else if (epilogue.hasReductions()) {
    partials = b.CreateAlignedLoad(b.getPtrTy(), frame.partials, Align(8));
  }
  Value *perTile = constant(schedule.partsPerTile);
  Value *begin = b.CreateMul(frame.tileBegin, perTile, "", true, true);
  Value *end = b.CreateMul(frame.tileEnd, perTile, "", true, true);
  end = b.CreateBinaryIntrinsic(Intrinsic::smin, end, constant(schedule.parts));
  if (schedule.parts == 1) {
    end = constant(1);
    begin = constant(0);
  }
  auto emitOne = [&](Value *number) {
    auto partOf = [&](Value *position, int64_t parts, int64_t size, int64_t total, LaneIndex &first,
                      Value *&count) {
      if (parts == 1) {
        first = index.constant(0);
        count = constant(total);
        return;
      }
      Value *start = b.CreateMul(position, constant(size), "", true, true);
      first = index.scalar(start, size);
      count = total % size == 0
                  ? constant(size)
                  : b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateSub(constant(total), start),
                                            constant(size));
    };
    Part part;
    Value *rest = b.CreateUDiv(number, constant(schedule.rowParts));
    Value *rowPart = b.CreateURem(number, constant(schedule.rowParts));
    Value *columnPart = b.CreateURem(rest, constant(schedule.columnParts));
    part.batch = index.scalar(b.CreateUDiv(rest, constant(schedule.columnParts)));
    partOf(rowPart, schedule.rowParts, schedule.tileRows, schedule.rows, part.row0, part.rows);
    partOf(columnPart, schedule.columnParts, schedule.tileColumns, schedule.columns, part.column0,
           part.columns);
    part.wholeColumns = schedule.columns % lanes == 0 &&
                        (schedule.columnParts == 1 || schedule.tileColumns % lanes == 0);
    part.wholeRows =
        schedule.rows % lanes == 0 && (schedule.rowParts == 1 || schedule.tileRows % lanes == 0);
    epilogue.beginPart();
    emitPart(part);
    epilogue.endPart(partials, number);
  };
  if (schedule.parts > 0) {
    e.emitLoop(begin, end, 1, emitOne);
  }
  // A loop of at most one step stands for a condition.
  Value *isFirst = b.CreateICmpEQ(frame.tileBegin, constant(0));
  e.emitLoop(constant(0), b.CreateZExt(isFirst, b.getInt64Ty()), 1, [&](Value *) {
    epilogue.storeIndependentRoots();
    if (ownPartials) {
      epilogue.finish(frame, partials, schedule.parts);
    }
  });
  return scratchBytes;
}

//===- the kernel ------------------------------------------------------------------===//

static std::unique_ptr<GemmEmitter> makeGemm(KernelFrame &frame, GemmProblem &problem,
                                             GemmEpilogue &epilogue, const GemmSchedule &schedule) {
  switch (schedule.algorithm) {
  case GemmSchedule::Algorithm::Packed:
    return makePackedGemm(frame, problem, epilogue, schedule);
  case GemmSchedule::Algorithm::Streamed:
    return makeStreamedGemm(frame, problem, epilogue, schedule);
  case GemmSchedule::Algorithm::Across:
    return makeAcrossGemm(frame, problem, epilogue, schedule);
  case GemmSchedule::Algorithm::Direct:
    return makeDirectConvolution(frame, problem, epilogue, schedule);
  }
  llvm_unreachable("every algorithm is handled above");
}

KernelProperties emitGemmKernel(KernelFrame &frame) {
  GemmProblem problem(frame, contractionOf(frame.kernel.getBody().front()));
  GemmEpilogue epilogue(frame, problem);
  KernelProperties properties;
  if (frame.emitter.error()) {
    return properties;
  }
  Result<GemmSchedule> chosen = chosenSchedule(frame, problem, epilogue);
  if (!chosen) {
    frame.emitter.fail(chosen.error());
    return properties;
  }
  const GemmSchedule &schedule = *chosen;
  std::unique_ptr<GemmEmitter> emitter = makeGemm(frame, problem, epilogue, schedule);
  properties.scratchBytes = emitter->emit();
  properties.tiles = std::max<int64_t>(schedule.tiles(), 1);
  if (epilogue.hasReductions() && schedule.tiles() != 1) {
    properties.partialBytes = schedule.parts * epilogue.partialBytesPerPart();
    properties.hasFinish = true;
    Status status = withKernelFrame(
        frame.kernel, frame.name + "_finish", frame.module, frame.target, [&](KernelFrame &finish) {
          IRBuilder<> &b = finish.builder;
          epilogue.finish(finish, b.CreateAlignedLoad(b.getPtrTy(), finish.partials, Align(8)),
                          schedule.parts);
        });
    if (!status) {
      frame.emitter.fail(status.error());
    }
  }
  return properties;
}

} // namespace drumlin::codegen

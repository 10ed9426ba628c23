#include "drumlin/codegen/cpu/gemm/GemmBuilder.h"

#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace drumlin::codegen {

void GemmBuilder::forLanes(Value *end, bool whole, function_ref<void(Value *, Value *)> body,
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

Value *GemmBuilder::zeroInactive(Value *value, Value *mask) {
  if (!mask) {
    return value;
  }
  Value *vector = e.splat(value);
  return b.CreateSelect(mask, vector, Constant::getNullValue(vector->getType()));
}

Lanes GemmBuilder::loadMatrix(ElementType type, Value *from, Value *stride, bool alongK,
                              const LaneIndex &free, const LaneIndex &depth) {
  const LaneIndex &along = alongK ? depth : free, &across = alongK ? free : depth;
  Type *element = e.memoryType(type);
  Value *place = at(element, from, plus(times(across.base, stride), along.base));
  auto *vector = vectorOf(element, index.width());
  Align align(static_cast<uint64_t>(bytesOf(element)));
  Value *loaded = e.activeLanes()
                      ? static_cast<Value *>(b.CreateMaskedLoad(
                            vector, place, align, e.activeLanes(), Constant::getNullValue(vector)))
                      : b.CreateAlignedLoad(vector, place, align);
  return {e.fromMemory(loaded, type)};
}

void GemmBuilder::prefetch(function_ref<void()> emitTerm) {
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

void GemmBuilder::prefetch(Value *address) {
  // Prefetches for reading, into L2.
  b.CreateIntrinsic(Intrinsic::prefetch, {address->getType()},
                    {address, b.getInt32(0), b.getInt32(2), b.getInt32(1)});
}

Value *GemmBuilder::multiplyAdd(Value *x, Value *y, Value *sum) {
  if (!sum->getType()->isFPOrFPVectorTy()) {
    return b.CreateAdd(b.CreateMul(x, y), sum);
  }
  if (!cpu.hasFma()) {
    return b.CreateFAdd(b.CreateFMul(x, y), sum);
  }
  return b.CreateIntrinsic(Intrinsic::fma, {sum->getType()}, {x, y, sum});
}

Value *GemmBuilder::PlaceOfBlocks::part(IRBuilder<> &builder, uint64_t number) const {
  Value *behind = builder.CreateMul(size, builder.getInt64(number), "", true, true);
  return builder.CreateInBoundsGEP(vector->getElementType(), place, behind);
}

void GemmBuilder::clearParts(const PlaceOfBlocks &sums) {
  for (uint64_t number : {1, 2}) {
    b.CreateAlignedStore(Constant::getNullValue(sums.vector), sums.part(b, number), Align(64));
  }
}

static SumOfBlocks load(IRBuilder<> &b, FixedVectorType *vector, Value *sum, Value *left) {
  return {b.CreateAlignedLoad(vector, sum, Align(64)),
          b.CreateAlignedLoad(vector, left, Align(64))};
}

void GemmBuilder::addBlock(const PlaceOfBlocks &sums) {
  Value *sum = sums.part(b, 1), *left = sums.part(b, 2);
  Value *block = b.CreateAlignedLoad(sums.vector, sums.place, Align(64));
  SumOfBlocks made = codegen::addBlock(b, load(b, sums.vector, sum, left), block);
  b.CreateAlignedStore(made.sum, sum, Align(64));
  b.CreateAlignedStore(made.left, left, Align(64));
}

void GemmBuilder::joinParts(const PlaceOfBlocks &sums) {
  SumOfBlocks made = load(b, sums.vector, sums.part(b, 1), sums.part(b, 2));
  b.CreateAlignedStore(made.total(b), sums.place, Align(64));
}

void GemmBuilder::storeInPanels(const PackedPanels &panels, Value *vector, Value *column,
                                Value *unit) {
  Value *firstPanelAt = b.CreateMul(
      b.CreateLShr(column, Log2_64(static_cast<uint64_t>(panels.width))), panels.stride);
  Value *offset =
      b.CreateAdd(firstPanelAt, b.CreateMul(unit, constant(panels.width)), "", true, true);
  for (int64_t first = 0; first < static_cast<int64_t>(lanes); first += panels.width) {
    SmallVector<int> piece;
    for (int64_t i = 0; i < panels.width; ++i) {
      piece.push_back(static_cast<int>(first + i));
    }
    Value *place = at(panels.type, panels.memory, offset);
    place = at(panels.type, place, times(panels.stride, first / panels.width));
    Value *values = panels.width == lanes ? vector : b.CreateShuffleVector(vector, piece);
    b.CreateAlignedStore(values, place, Align(16));
  }
}

} // namespace drumlin::codegen

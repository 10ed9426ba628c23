#include "drumlin/codegen/cpu/ControlFlow.h"

using namespace llvm;

namespace drumlin::codegen {

static BasicBlock *newBlock(IRBuilder<> &b, const char *name) {
  return BasicBlock::Create(b.getContext(), name, b.GetInsertBlock()->getParent());
}

Values emitIf(ElementEmitter &e, Value *condition, ArrayRef<Value *> otherwise,
              function_ref<Values()> then) {
  IRBuilder<> &b = e.ir();
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *inside = newBlock(b, "then");
  BasicBlock *after = newBlock(b, "endif");
  b.CreateCondBr(condition, inside, after);
  b.SetInsertPoint(inside);
  e.pushScope();
  Values made = then();
  e.popScope();
  BasicBlock *last = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  Values results;
  for (auto [value, other] : zip_equal(made, otherwise)) {
    PHINode *phi = b.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, last);
    phi->addIncoming(other, before);
    results.push_back(phi);
  }
  return results;
}

void emitIf(ElementEmitter &e, Value *condition, function_ref<void()> then) {
  emitIf(e, condition, {}, [&]() {
    then();
    return Values{};
  });
}

Values emitWhile(ElementEmitter &e, ArrayRef<Value *> carried,
                 function_ref<Value *(ArrayRef<Value *>)> condition,
                 function_ref<Values(ArrayRef<Value *>)> body) {
  IRBuilder<> &b = e.ir();
  BasicBlock *before = b.GetInsertBlock();
  BasicBlock *header = newBlock(b, "while");
  BasicBlock *inside = newBlock(b, "do");
  BasicBlock *after = newBlock(b, "endwhile");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  SmallVector<PHINode *> phis;
  Values current;
  for (Value *value : carried) {
    phis.push_back(b.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    current.push_back(phis.back());
  }
  e.pushScope();
  Value *holds = condition(current);
  b.CreateCondBr(holds, inside, after);
  b.SetInsertPoint(inside);
  Values next = body(current);
  e.popScope();
  BasicBlock *latch = b.GetInsertBlock();
  for (auto [phi, value] : zip_equal(phis, next)) {
    phi->addIncoming(value, latch);
  }
  b.CreateBr(header);
  b.SetInsertPoint(after);
  return current;
}

void emitLaneLoop(ElementEmitter &e, Value *begin, Value *end, function_ref<void(Value *)> body) {
  IRBuilder<> &b = e.ir();
  Value *count = b.CreateSub(end, begin);
  // Nothing, rather than a negative number of elements, where the end lies before the begin.
  Value *nonNegative = b.CreateBinaryIntrinsic(Intrinsic::smax, count, b.getInt64(0));
  Value *whole = b.CreateAnd(nonNegative, b.getInt64(~uint64_t(lanes - 1)));
  Value *wholeEnd = b.CreateAdd(begin, whole);
  auto *knownCount = dyn_cast<ConstantInt>(count);
  if (!knownCount || knownCount->getSExtValue() >= static_cast<int64_t>(lanes)) {
    e.emitLoop(begin, wholeEnd, lanes, body);
  }
  if (knownCount && knownCount->getSExtValue() % lanes == 0) {
    return;
  }
  emitIf(e, b.CreateICmpSLT(wholeEnd, end), [&]() {
    Value *saved = e.activeLanes();
    Value *positions = e.index().asVector(e.index().laneOf(wholeEnd));
    Value *active = b.CreateICmpSLT(positions, b.CreateVectorSplat(lanes, end));
    e.setActiveLanes(saved ? b.CreateAnd(saved, active) : active);
    body(wholeEnd);
    e.setActiveLanes(saved);
  });
}

void emitLanes(ElementEmitter &e, Value *begin, Value *end, const SizeExpression &count,
               function_ref<void(Value *)> body) {
  IRBuilder<> &b = e.ir();
  unsigned width = e.index().width();
  e.emitLoop(begin, end, width, [&](Value *base) {
    Value *saved = e.activeLanes();
    if (count.remainder(width).constant() != int64_t(0)) {
      Value *positions = e.index().asVector(e.index().laneOf(base));
      e.setActiveLanes(b.CreateICmpSLT(positions, b.CreateVectorSplat(width, end)));
    }
    body(base);
    e.setActiveLanes(saved);
  });
}

} // namespace drumlin::codegen

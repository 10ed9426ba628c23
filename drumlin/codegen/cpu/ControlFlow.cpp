#include "drumlin/codegen/cpu/ControlFlow.h"

#include <numeric>

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

// Emits body(base) for a partial vector: deactivates the lanes at positions from `end` on.
static void emitMasked(ElementEmitter &e, Value *base, Value *end,
                       function_ref<void(Value *)> body) {
  IRBuilder<> &b = e.ir();
  Value *saved = e.activeLanes();
  Value *positions = e.index().asVector(e.index().laneOf(base));
  Value *active = b.CreateICmpSLT(positions, b.CreateVectorSplat(e.index().width(), end));
  e.setActiveLanes(saved ? b.CreateAnd(saved, active) : active);
  body(base);
  e.setActiveLanes(saved);
}

// Emits a loop over full vectors, then one masked vector for the remaining lanes.
static void emitLanesAndRest(ElementEmitter &e, Value *begin, Value *end,
                             function_ref<void(Value *)> body) {
  IRBuilder<> &b = e.ir();
  auto width = static_cast<int64_t>(e.index().width());
  Value *count = b.CreateSub(end, begin);
  // The count is 0 if `end` is before `begin`.
  Value *nonNegative = b.CreateBinaryIntrinsic(Intrinsic::smax, count, b.getInt64(0));
  Value *whole = b.CreateAnd(nonNegative, b.getInt64(~static_cast<uint64_t>(width - 1)));
  Value *wholeEnd = b.CreateAdd(begin, whole);
  auto *knownCount = dyn_cast<ConstantInt>(count);
  if (!knownCount || knownCount->getSExtValue() >= width) {
    e.emitLoop(begin, wholeEnd, width, body);
  }
  if (!knownCount || knownCount->getSExtValue() % width != 0) {
    emitIf(e, b.CreateICmpSLT(wholeEnd, end), [&]() { emitMasked(e, wholeEnd, end, body); });
  }
}

void emitLaneLoop(ElementEmitter &e, Value *begin, Value *end, function_ref<void(Value *)> body) {
  emitLanesAndRest(e, begin, end, body);
}

void emitMaskedLanes(ElementEmitter &e, Value *begin, Value *end,
                     function_ref<void(Value *)> body) {
  e.emitLoop(begin, end, static_cast<int64_t>(e.index().width()),
             [&](Value *base) { emitMasked(e, base, end, body); });
}

void emitLanes(ElementEmitter &e, Value *begin, Value *end, const SizeExpression &count,
               LanesAgain again, function_ref<void(Value *, int64_t)> body) {
  IRBuilder<> &b = e.ir();
  auto width = static_cast<int64_t>(e.index().width());
  auto bodyAt = [&](Value *base) { body(base, width); };
  if (count.remainder(width).constant() == int64_t(0)) {
    e.emitLoop(begin, end, width, bodyAt);
    return;
  }
  std::optional<int64_t> known = count.constant();
  // Instrumented code (setObserver()) must count each element once, so no lane is recomputed. It
  // must count all elements in the same code, so one masked loop is emitted.
  if (e.isObserved() || (known && *known < width)) {
    emitMaskedLanes(e, begin, end, bodyAt);
    return;
  }
  if (!known || again == LanesAgain::no) {
    emitLanesAndRest(e, begin, end, bodyAt);
    return;
  }
  Value *last = b.CreateSub(end, b.getInt64(static_cast<uint64_t>(width)));
  e.emitLoop(begin, end, width, [&](Value *base) {
    body(b.CreateBinaryIntrinsic(Intrinsic::smin, base, last), std::gcd(width, *known));
  });
}

} // namespace drumlin::codegen

#include "drumlin/codegen/cpu/SizeCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace drumlin::codegen {

SizeExpression productOf(ArrayRef<SizeExpression> sizes) {
  SizeExpression product(1);
  for (const SizeExpression &size : sizes) {
    product = product * size;
  }
  return product;
}

static Value *emitQuotient(IRBuilder<> &b, Value *dividend, Value *divisor) {
  Value *zero = b.getInt64(0);
  Value *quotient = b.CreateSDiv(dividend, divisor);
  Value *rest = b.CreateSRem(dividend, divisor);
  // The division truncates, so it rounded the quotient up if the signs of the remainder and the
  // divisor differ.
  Value *isUp =
      b.CreateAnd(b.CreateICmpNE(rest, zero), b.CreateICmpSLT(b.CreateXor(rest, divisor), zero));
  return b.CreateSub(quotient, b.CreateZExt(isUp, b.getInt64Ty()));
}

Value *SizeCode::emit(const SizeExpression::Factor &factor) {
  using Kind = SizeExpression::FactorKind;
  if (factor.kind == Kind::Symbol) {
    auto at = static_cast<uint64_t>(find(symbols, factor.text) - symbols.begin());
    assert(at < symbols.size() && "sizes use only the given symbols");
    auto *loaded = b.CreateAlignedLoad(b.getInt64Ty(),
                                       b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), values, at),
                                       Align(8), factor.text);
    // The symbols' values don't change during a run.
    loaded->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(b.getContext(), {}));
    return loaded;
  }
  Value *first = emitHere(factor.operands[0]), *second = emitHere(factor.operands[1]);
  if (factor.kind == Kind::Quotient) {
    return emitQuotient(b, first, second);
  }
  return b.CreateBinaryIntrinsic(factor.kind == Kind::Larger ? Intrinsic::smax : Intrinsic::smin,
                                 first, second);
}

Value *SizeCode::emit(const SizeExpression &size) {
  if (!block) {
    return emitHere(size);
  }
  Value *&value = made[size.str()];
  if (!value) {
    IRBuilderBase::InsertPointGuard guard(b);
    b.SetInsertPoint(block);
    value = emitHere(size);
  }
  return value;
}

// Sizes are checked before the program runs, so their sums and products can't overflow.
Value *SizeCode::emitHere(const SizeExpression &size) {
  Value *sum = nullptr;
  for (const SizeExpression::Term &term : size.terms()) {
    Value *product = b.getInt64(static_cast<uint64_t>(term.coefficient));
    for (const SizeExpression::Factor &factor : term.factors) {
      product = b.CreateMul(emit(factor), product, "", false, true);
    }
    sum = sum ? b.CreateAdd(sum, product, "", false, true) : product;
  }
  return sum ? sum : b.getInt64(0);
}

} // namespace drumlin::codegen

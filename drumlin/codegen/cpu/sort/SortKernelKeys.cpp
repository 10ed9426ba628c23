#include "drumlin/codegen/cpu/sort/SortKernelKeys.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/SortOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

using namespace llvm;

namespace drumlin::codegen {

static ElementType typeOf(mlir::Value value) {
  return elementTypeOf(mlir::getElementTypeOrSelf(value.getType()));
}

Lanes emitKeyProgram(ElementEmitter &e, stablehlo::SortOp sort, const SortKey &key,
                     const IndexTuple *at) {
  mlir::Block &block = sort.getComparator().front();
  DenseMap<mlir::Value, Lanes> made;
  std::function<Lanes(mlir::Value)> valueOf = [&](mlir::Value value) -> Lanes {
    auto argument = dyn_cast<mlir::BlockArgument>(value);
    if (argument && argument.getOwner() == &block) {
      return e.emit(sort.getInputs()[argument.getArgNumber() / 2], at);
    }
    mlir::Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &block || isa<stablehlo::ConstantOp>(op)) {
      return e.emit(value, e.scalarIndex());
    }
    auto found = made.find(value);
    if (found != made.end()) {
      return found->second;
    }
    Lanes result;
    if (isDataMovement(op)) {
      result = valueOf(op->getOperand(0));
    } else if (auto emitted = e.emitElementwise(op, valueOf)) {
      result = *emitted;
    } else {
      e.fail(diagnose(
          errors::UnsupportedNative,
          ("no native code for `" + op->getName().getStringRef() + "` in a comparator").str()));
      result = {UndefValue::get(e.computeType(typeOf(value)))};
    }
    made[value] = result;
    return result;
  };
  return valueOf(key.program);
}

Value *emitOrderedKey(ElementEmitter &e, Value *element, ElementType type, bool total,
                      bool descending) {
  IRBuilder<> &b = e.ir();
  unsigned bits = keyBits(type);
  Type *keyType = b.getIntNTy(bits);
  if (auto *vector = dyn_cast<FixedVectorType>(element->getType())) {
    keyType = FixedVectorType::get(keyType, vector->getNumElements());
  }
  Value *key = nullptr;
  if (isFloat(type)) {
    if (!total) {
      Value *zero = Constant::getNullValue(element->getType());
      element = b.CreateSelect(b.CreateFCmpOEQ(element, zero), zero, element);
    }
    // In formats without negative zero, the only NaN has the bit pattern of -0. This NaN has no
    // sign.
    if (!total || info(type).specials == FloatSpecials::Unsigned0) {
      element = b.CreateSelect(b.CreateFCmpUNO(element, element),
                               ConstantFP::getQNaN(element->getType()), element);
    }
    Value *pattern = bits == 16 ? e.toMemory(element, type) : b.CreateBitCast(element, keyType);
    // For negative numbers, larger numbers have smaller bit patterns, so these patterns are
    // inverted.
    Value *sign = b.CreateAShr(pattern, ConstantInt::get(keyType, bits - 1));
    key =
        b.CreateXor(pattern, b.CreateOr(sign, ConstantInt::get(keyType, APInt::getSignMask(bits))));
  } else if (isSigned(type)) {
    key = b.CreateXor(element, ConstantInt::get(keyType, APInt::getSignMask(bits)));
  } else {
    key = b.CreateZExt(element, keyType);
  }
  return descending ? b.CreateNot(key) : key;
}

} // namespace drumlin::codegen

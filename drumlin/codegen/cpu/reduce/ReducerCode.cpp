#include "drumlin/codegen/cpu/reduce/ReducerCode.h"

using namespace llvm;

namespace drumlin::codegen {

Value *combineReduced(IRBuilder<> &b, Reducer reducer, ElementType type, Value *x, Value *y) {
  bool isFloatType = isFloat(type);
  switch (reducer) {
  case Reducer::Add:
    return isFloatType       ? b.CreateFAdd(x, y)
           : isBoolean(type) ? b.CreateOr(x, y)
                             : wrapToWidth(b, b.CreateAdd(x, y), type);
  case Reducer::Multiply:
    return isFloatType       ? b.CreateFMul(x, y)
           : isBoolean(type) ? b.CreateAnd(x, y)
                             : wrapToWidth(b, b.CreateMul(x, y), type);
  case Reducer::Maximum:
  case Reducer::Minimum: {
    bool larger = reducer == Reducer::Maximum;
    if (isFloatType) {
      return b.CreateBinaryIntrinsic(larger ? Intrinsic::maximum : Intrinsic::minimum, x, y);
    }
    bool isSignedType = isSigned(type);
    return b.CreateBinaryIntrinsic(larger ? (isSignedType ? Intrinsic::smax : Intrinsic::umax)
                                          : (isSignedType ? Intrinsic::smin : Intrinsic::umin),
                                   x, y);
  }
  case Reducer::And:
    return b.CreateAnd(x, y);
  case Reducer::Or:
    return b.CreateOr(x, y);
  case Reducer::Xor:
    return b.CreateXor(x, y);
  }
  llvm_unreachable("every reducer is handled above");
}

Value *reducerIdentity(ElementEmitter &e, Reducer reducer, ElementType type) {
  Type *compute = e.computeType(type);
  switch (reducer) {
  case Reducer::Add:
    // The identity of float sums is -0: -0 + x is x for every x, but +0 + -0 is +0.
    return isFloat(type) ? ConstantFP::getNegativeZero(compute) : Constant::getNullValue(compute);
  case Reducer::Multiply:
    return isFloat(type) ? ConstantFP::get(compute, 1.0) : ConstantInt::get(compute, 1);
  case Reducer::Maximum:
  case Reducer::Minimum: {
    bool larger = reducer == Reducer::Maximum;
    if (isFloat(type)) {
      return ConstantFP::getInfinity(compute, /*Negative=*/larger);
    }
    unsigned width = compute->getIntegerBitWidth();
    if (isSigned(type)) {
      return ConstantInt::get(compute, larger ? APInt::getSignedMinValue(width)
                                              : APInt::getSignedMaxValue(width));
    }
    return ConstantInt::get(compute, larger ? APInt::getZero(width) : APInt::getAllOnes(width));
  }
  case Reducer::And:
    return Constant::getAllOnesValue(compute);
  case Reducer::Or:
  case Reducer::Xor:
    return Constant::getNullValue(compute);
  }
  llvm_unreachable("every reducer is handled above");
}

Value *combineReducedLanes(IRBuilder<> &b, Reducer reducer, ElementType type, Value *vector) {
  for (unsigned width = cast<FixedVectorType>(vector->getType())->getNumElements() / 2; width > 0;
       width /= 2) {
    SmallVector<int> low, high;
    for (unsigned lane = 0; lane < width; ++lane) {
      low.push_back(static_cast<int>(lane));
      high.push_back(static_cast<int>(lane + width));
    }
    vector = combineReduced(b, reducer, type, b.CreateShuffleVector(vector, low),
                            b.CreateShuffleVector(vector, high));
  }
  return b.CreateExtractElement(vector, uint64_t(0));
}

// If there is no rounding error, nothing is added: adding +0 would convert a sum of -0 to +0.
Value *SumOfBlocks::total(IRBuilder<> &b) const {
  Value *isZero = b.CreateFCmpOEQ(left, Constant::getNullValue(left->getType()));
  return b.CreateSelect(isZero, sum, b.CreateFAdd(sum, left));
}

SumOfBlocks addBlock(IRBuilder<> &b, SumOfBlocks before, Value *block) {
  Value *sum = b.CreateFAdd(before.sum, block);
  Value *added = b.CreateFSub(sum, before.sum);
  Value *ofSum = b.CreateFSub(before.sum, b.CreateFSub(sum, added));
  Value *left = b.CreateFAdd(ofSum, b.CreateFSub(block, added));
  Value *isNumber = b.CreateFCmpORD(left, left);
  left = b.CreateSelect(isNumber, left, Constant::getNullValue(left->getType()));
  return {sum, b.CreateFAdd(before.left, left)};
}

} // namespace drumlin::codegen

#include "drumlin/codegen/cpu/SortKernelKeys.h"

#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/ADT/DenseSet.h"

using namespace llvm;

namespace drumlin::codegen {

// Longer programs are compared and computed by the general sort.
static constexpr size_t maxKeyOperations = 256;

static ElementType typeOf(mlir::Value value) {
  return elementTypeOf(mlir::getElementTypeOrSelf(value.getType()));
}

namespace {
// Whether two values of a comparator are one program, of the left-hand arguments and of the
// right-hand ones.
class KeyMatcher {
public:
  explicit KeyMatcher(mlir::Block &block) : block(block) {}

  bool matches(mlir::Value a, mlir::Value b) {
    if (a.getType() != b.getType()) {
      return false;
    }
    if (!seen.insert({a, b}).second) {
      return true;
    }
    if (seen.size() > maxKeyOperations) {
      return false;
    }
    auto argument = dyn_cast<mlir::BlockArgument>(a);
    if (argument && argument.getOwner() == &block) {
      return matchArguments(argument, b);
    }
    mlir::Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
    if (isa_and_nonnull<stablehlo::ConstantOp>(left) &&
        isa_and_nonnull<stablehlo::ConstantOp>(right)) {
      return left->getAttrDictionary() == right->getAttrDictionary();
    }
    if (!left || left->getBlock() != &block) {
      return a == b;
    }
    if (!right || right->getBlock() != &block || left->getName() != right->getName() ||
        left->getNumOperands() != right->getNumOperands() || left->getNumRegions() != 0 ||
        left->getNumResults() != 1 || left->getAttrDictionary() != right->getAttrDictionary()) {
      return false;
    }
    return all_of(zip(left->getOperands(), right->getOperands()),
                  [&](auto pair) { return matches(std::get<0>(pair), std::get<1>(pair)); });
  }

  // 0 where the first value is a program of the left-hand arguments, 1 where of the right-hand
  // ones.
  std::optional<unsigned> firstSide() const { return side; }

private:
  bool matchArguments(mlir::BlockArgument a, mlir::Value b) {
    auto other = dyn_cast<mlir::BlockArgument>(b);
    // Arguments are (lhs 0, rhs 0, lhs 1, rhs 1, ...).
    if (!other || other.getOwner() != &block || (a.getArgNumber() ^ 1) != other.getArgNumber()) {
      return false;
    }
    if (!side) {
      side = a.getArgNumber() & 1;
    }
    return *side == (a.getArgNumber() & 1);
  }

  mlir::Block &block;
  DenseSet<std::pair<mlir::Value, mlir::Value>> seen;
  std::optional<unsigned> side;
};
} // namespace

std::optional<SortKey> sortKeyOf(stablehlo::SortOp sort) {
  mlir::Block &block = sort.getComparator().front();
  auto compare = block.getTerminator()->getOperand(0).getDefiningOp<stablehlo::CompareOp>();
  if (!compare || compare->getBlock() != &block) {
    return std::nullopt;
  }
  using Direction = stablehlo::ComparisonDirection;
  Direction direction = compare.getComparisonDirection();
  if (direction != Direction::LT && direction != Direction::GT) {
    return std::nullopt;
  }
  KeyMatcher matcher(block);
  if (!matcher.matches(compare.getLhs(), compare.getRhs()) || !matcher.firstSide()) {
    return std::nullopt;
  }
  SortKey key;
  key.program = compare.getLhs();
  key.type = typeOf(compare.getLhs());
  key.total = compare.getCompareType() &&
              *compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  // `rhs > lhs` is `lhs < rhs`.
  key.descending = (direction == Direction::GT) != (*matcher.firstSide() == 1);
  return key;
}

unsigned keyBits(ElementType type) {
  if (type == ElementType::F64) {
    return 64;
  }
  if (isFloat(type)) {
    // Formats of 8 bits and fewer are ordered in their compute form, which knows their special
    // codes.
    return type == ElementType::BF16 || type == ElementType::F16 ? 16 : 32;
  }
  return std::max(info(type).bits, 8u);
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
    if (isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp, stablehlo::TransposeOp>(op)) {
      result = valueOf(op->getOperand(0));
    } else if (auto emitted = e.emitElementwise(op, valueOf)) {
      result = *emitted;
    } else {
      e.fail(diagnose(
          DiagnosticCode::UnsupportedNative,
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
    // The one NaN of formats without a negative zero has that zero's code, but no sign.
    if (!total || info(type).specials == FloatSpecials::Unsigned0) {
      element = b.CreateSelect(b.CreateFCmpUNO(element, element),
                               ConstantFP::getQNaN(element->getType()), element);
    }
    Value *code = bits == 16 ? e.toMemory(element, type) : b.CreateBitCast(element, keyType);
    // Codes of negative numbers fall as the numbers rise.
    Value *sign = b.CreateAShr(code, ConstantInt::get(keyType, bits - 1));
    key = b.CreateXor(code, b.CreateOr(sign, ConstantInt::get(keyType, APInt::getSignMask(bits))));
  } else if (isSigned(type)) {
    key = b.CreateXor(element, ConstantInt::get(keyType, APInt::getSignMask(bits)));
  } else {
    key = b.CreateZExt(element, keyType);
  }
  return descending ? b.CreateNot(key) : key;
}

} // namespace drumlin::codegen

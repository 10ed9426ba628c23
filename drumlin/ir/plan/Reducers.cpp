#include "drumlin/ir/plan/Reducers.h"

#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/AndOp.h"
#include "drumlin/ir/stablehlo/MaxOp.h"
#include "drumlin/ir/stablehlo/MinOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/OrOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/XorOp.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

std::optional<Reducer> knownReducer(Region &body) {
  if (!body.hasOneBlock()) {
    return std::nullopt;
  }
  Block &block = body.front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2)) {
    return std::nullopt;
  }
  Operation &op = block.front();
  Operation *terminator = block.getTerminator();
  if (op.getNumOperands() != 2 || op.getNumResults() != 1 || terminator->getNumOperands() != 1 ||
      terminator->getOperand(0) != op.getResult(0)) {
    return std::nullopt;
  }
  Value first = block.getArgument(0), second = block.getArgument(1);
  bool inOrder = op.getOperand(0) == first && op.getOperand(1) == second;
  bool swapped = op.getOperand(0) == second && op.getOperand(1) == first;
  if ((!inOrder && !swapped) || isa<ComplexType>(getElementTypeOrSelf(first.getType()))) {
    return std::nullopt;
  }
  return llvm::TypeSwitch<Operation *, std::optional<Reducer>>(&op)
      .Case<stablehlo::AddOp>([](auto) { return Reducer::Add; })
      .Case<stablehlo::MulOp>([](auto) { return Reducer::Multiply; })
      .Case<stablehlo::MaxOp>([](auto) { return Reducer::Maximum; })
      .Case<stablehlo::MinOp>([](auto) { return Reducer::Minimum; })
      .Case<stablehlo::AndOp>([](auto) { return Reducer::And; })
      .Case<stablehlo::OrOp>([](auto) { return Reducer::Or; })
      .Case<stablehlo::XorOp>([](auto) { return Reducer::Xor; })
      .Default([](auto) { return std::nullopt; });
}

// Whether combining a value with the initial value once more leaves the value unchanged.
static bool isNeutral(Value init, Reducer reducer) {
  if (reducer != Reducer::Add && reducer != Reducer::Multiply && reducer != Reducer::Xor) {
    return true; // idempotent: combining a value with itself changes nothing
  }
  DenseElementsAttr elements;
  if (!matchPattern(init, m_Constant(&elements)) || !elements.isSplat()) {
    return false;
  }
  bool isOne = reducer == Reducer::Multiply;
  Type type = elements.getElementType();
  if (isa<FloatType>(type)) {
    APFloat number = elements.getSplatValue<APFloat>();
    return isOne ? number.isExactlyValue(1) : number.isZero();
  }
  APInt number = elements.getSplatValue<APInt>();
  return isOne ? number.isOne() : number.isZero();
}

template <typename Reduction> static bool hasNeutralInitial(Reduction op) {
  std::optional<Reducer> reducer = knownReducer(op.getBody());
  return reducer && op.getInitValues().size() == 1 &&
         isNeutral(op.getInitValues().front(), *reducer);
}

bool isNeutral(Operation *op) {
  auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
  return reduce ? hasNeutralInitial(reduce)
                : hasNeutralInitial(cast<stablehlo::ReduceWindowOp>(op));
}

std::optional<PrefixWindows> prefixWindows(Operation *op) {
  auto window = dyn_cast<stablehlo::ReduceWindowOp>(op);
  if (!window || window.getInputs().size() != 1) {
    return std::nullopt;
  }
  auto areOnes = [&](StringRef attribute, ArrayRef<int64_t> nominal) {
    return llvm::all_of(symbolicSizesOf(op, attribute, nominal),
                        [](const SizeExpression &size) { return size.constant() == int64_t(1); });
  };
  if (!areOnes(window.getWindowStridesAttrName(), window.windowStridesOrDefault()) ||
      !areOnes(window.getBaseDilationsAttrName(), window.baseDilationsOrDefault()) ||
      !areOnes(window.getWindowDilationsAttrName(), window.windowDilationsOrDefault())) {
    return std::nullopt;
  }
  std::vector<SizeExpression> sizes =
      symbolicSizesOf(cast<RankedTensorType>(window.getInputs().front().getType()));
  std::vector<SizeExpression> dimensions =
      symbolicSizesOf(op, window.getWindowDimensionsAttrName(), window.getWindowDimensions());
  SmallVector<int64_t> nominal;
  for (auto [low, high] : window.paddingOrDefault()) {
    nominal.append({low, high});
  }
  std::vector<SizeExpression> padding = symbolicSizesOf(op, window.getPaddingAttrName(), nominal);
  const SizeExpression zero, one(1);
  std::optional<PrefixWindows> found;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const SizeExpression &size = dimensions[i], &low = padding[2 * i], &high = padding[2 * i + 1];
    if (size == one && low == zero && high == zero) {
      continue;
    }
    bool fromFirst = low == size - 1 && high == zero;
    bool fromLast = low == zero && high == size - 1;
    if (found || !(size == sizes[i]) || (!fromFirst && !fromLast)) {
      return std::nullopt;
    }
    found = PrefixWindows{static_cast<int64_t>(i), fromLast};
  }
  return found;
}

// The windows of a prefix scan are partly outside of the operand. At positions outside, they
// include the initial value, so combining a result with the initial value once more must not change
// the result.
std::optional<PrefixScan> prefixScan(Operation *op) {
  auto window = dyn_cast<stablehlo::ReduceWindowOp>(op);
  if (!window) {
    return std::nullopt;
  }
  std::optional<Reducer> reducer = knownReducer(window.getBody());
  bool isNothing = reducer ? isNeutral(window.getInitValues().front(), *reducer)
                           : op->hasAttr(prefixScanAttribute);
  std::optional<PrefixWindows> windows = isNothing ? prefixWindows(op) : std::nullopt;
  return windows ? std::optional(PrefixScan{*windows, reducer}) : std::nullopt;
}

} // namespace drumlin

// Decomposes scan. If the body is one associative operation and the order of elements doesn't
// matter, the scan becomes windows that reach back to the first element. Otherwise the scan becomes
// a loop over the scanned dimension.
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/AndOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/MaxOp.h"
#include "drumlin/ir/stablehlo/MinOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/OrOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/ir/stablehlo/XorOp.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/Reducers.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace drumlin {

// Returns the number of iterations of the loop.
static int64_t lengthOf(chlo::ScanOp op) {
  auto dimension = static_cast<int64_t>(op.getDimension());
  for (Value value : llvm::concat<Value>(op.getInputs(), op.getOutputs())) {
    return shapeOf(value)[dimension];
  }
  return static_cast<int64_t>(op.getScanDimSize().value_or(0));
}

// Returns the operation that combines input and carry, if it is the body's only operation and its
// result is both the output and the new carry; otherwise null.
static Operation *combinerOf(chlo::ScanOp op) {
  Block &body = op.getBody().front();
  bool isSingle = op.getInputs().size() == 1 && op.getInits().size() == 1 &&
                  op.getOutputs().size() == 1 && llvm::hasNItems(body, 2);
  if (!isSingle) {
    return nullptr;
  }
  Operation *combiner = &body.front();
  Operation *terminator = body.getTerminator();
  bool isBoth = combiner->getNumOperands() == 2 && combiner->getNumResults() == 1 &&
                llvm::all_of(terminator->getOperands(),
                             [&](Value value) { return value == combiner->getResult(0); });
  bool combinesBoth = isBoth && ((combiner->getOperand(0) == body.getArgument(0) &&
                                  combiner->getOperand(1) == body.getArgument(1)) ||
                                 (combiner->getOperand(0) == body.getArgument(1) &&
                                  combiner->getOperand(1) == body.getArgument(0)));
  return combinesBoth ? combiner : nullptr;
}

// Returns whether the combiner's results don't depend on the order of the elements, or the program
// allows any order.
static bool mayReorder(chlo::ScanOp op, Operation *combiner) {
  bool selects = isa<stablehlo::MaxOp, stablehlo::MinOp>(combiner);
  bool isKnown =
      selects ||
      isa<stablehlo::AddOp, stablehlo::MulOp, stablehlo::AndOp, stablehlo::OrOp, stablehlo::XorOp>(
          combiner);
  Type element = getElementTypeOrSelf(combiner->getResult(0).getType());
  bool isExact = selects || isa<IntegerType>(element);
  return isKnown && !isa<ComplexType>(element) &&
         (isExact || op.getIsAssociative().value_or(false));
}

// Returns the largest or the smallest value of a type.
static Attribute extremeOf(Type element, bool wantLargest) {
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    bool isNegative = !wantLargest;
    if (isNegative && !llvm::APFloat::semanticsHasSignedRepr(semantics)) {
      return FloatAttr::get(type, llvm::APFloat::getSmallest(semantics));
    }
    return FloatAttr::get(type, llvm::APFloat::semanticsHasInf(semantics)
                                    ? llvm::APFloat::getInf(semantics, isNegative)
                                    : llvm::APFloat::getLargest(semantics, isNegative));
  }
  unsigned bits = element.getIntOrFloatBitWidth();
  bool isSigned = !element.isUnsignedInteger() && bits > 1;
  APInt largest = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  APInt smallest = isSigned ? APInt::getSignedMinValue(bits) : APInt::getMinValue(bits);
  return IntegerAttr::get(element, wantLargest ? largest : smallest);
}

// Returns the neutral element of the combiner.
static Value neutralFor(TensorBuilder &b, Operation *combiner, Type element) {
  if (isa<stablehlo::MaxOp, stablehlo::MinOp>(combiner)) {
    Attribute extreme = extremeOf(element, isa<stablehlo::MinOp>(combiner));
    auto value = DenseElementsAttr::get(RankedTensorType::get({}, element), extreme);
    return stablehlo::ConstantOp::create(b.operations(), b.location(), value);
  }
  bool isProduct = isa<stablehlo::MulOp>(combiner);
  bool isAnd = isa<stablehlo::AndOp>(combiner);
  return isProduct ? b.number(element, 1)
         : isAnd   ? b.integer(element, ~uint64_t{0})
                   : b.zero(element);
}

static Value combine(TensorBuilder &b, Operation *combiner, Value x, Value y) {
  OperationState state(b.location(), combiner->getName());
  state.addOperands({x, y});
  state.addTypes(x.getType());
  return b.operations().create(state)->getResult(0);
}

// Returns, for each element, the combination of all elements up to that element.
static Value prefixes(TensorBuilder &b, chlo::ScanOp op, Operation *combiner, Value initial) {
  Value input = op.getInputs().front();
  auto dimension = static_cast<int64_t>(op.getDimension());
  auto rank = static_cast<int64_t>(shapeOf(input).size());
  SmallVector<int64_t> window(shapeOf(input).size(), 1), padding(window.size() * 2, 0);
  window[dimension] = shapeOf(input)[dimension];
  padding[2 * dimension + (op.getIsReverse() ? 1 : 0)] = window[dimension] - 1;
  OpBuilder &builder = b.operations();
  auto paddingType = RankedTensorType::get({rank, 2}, builder.getI64Type());
  auto scan = stablehlo::ReduceWindowOp::create(
      builder, b.location(), TypeRange{input.getType()}, ValueRange{input}, ValueRange{initial},
      window, DenseI64ArrayAttr(), DenseI64ArrayAttr(), DenseI64ArrayAttr(),
      DenseIntElementsAttr::get(paddingType, padding));
  OpBuilder::InsertionGuard guard(builder);
  Type scalar = initial.getType();
  Block *block =
      builder.createBlock(&scan.getBody(), {}, {scalar, scalar}, {b.location(), b.location()});
  Value combined = combine(b, combiner, block->getArgument(0), block->getArgument(1));
  stablehlo::ReturnOp::create(builder, b.location(), combined);
  return scan.getResult(0);
}

static SmallVector<Value> scanByWindows(TensorBuilder &b, chlo::ScanOp op, Operation *combiner) {
  Value input = op.getInputs().front(), init = op.getInits().front();
  auto dimension = static_cast<int64_t>(op.getDimension());
  ArrayRef<int64_t> shape = shapeOf(input);
  SmallVector<int64_t> others;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (d != dimension) {
      others.push_back(d);
    }
  }
  Type element = TensorBuilder::elementOf(input);
  Value start = neutralFor(b, combiner, element);
  Value output = prefixes(b, op, combiner, start);
  output = combine(b, combiner, output, b.broadcast(init, shape, others));
  int64_t last = op.getIsReverse() ? 0 : shape[dimension] - 1;
  Value carry = b.reshape(b.slice(output, dimension, last, last + 1), shapeOf(init));
  return {output, carry};
}

static SmallVector<Value> scanByLoop(TensorBuilder &b, chlo::ScanOp op, int64_t length) {
  auto dimension = static_cast<int64_t>(op.getDimension());
  size_t outputCount = op.getOutputs().size();
  SmallVector<Value> carried;
  for (Value output : op.getOutputs()) {
    carried.push_back(b.zero(TensorBuilder::elementOf(output), shapeOf(output)));
  }
  llvm::append_range(carried, op.getInits());
  Type index = b.signedType(64);
  auto step = [&](TensorBuilder &, Value i, ValueRange values) {
    Value at =
        op.getIsReverse() ? b.subtract(b.integer(index, static_cast<uint64_t>(length - 1)), i) : i;
    Block &body = op.getBody().front();
    IRMapping mapping;
    for (auto [k, input] : llvm::enumerate(op.getInputs())) {
      mapping.map(body.getArgument(k), b.sliceAt(input, dimension, at));
    }
    for (auto [k, value] : llvm::enumerate(values.drop_front(outputCount))) {
      mapping.map(body.getArgument(op.getInputs().size() + k), value);
    }
    for (Operation &inner : body.without_terminator()) {
      b.operations().clone(inner, mapping);
    }
    TensorBuilder::Carried next;
    for (auto [k, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
      Value made = mapping.lookupOrDefault(value);
      next.push_back(k < outputCount ? b.updateAt(values[k], made, dimension, at) : made);
    }
    return next;
  };
  return b.countedLoop(b.integer(index, static_cast<uint64_t>(length)), carried, step);
}

Replacements decomposeScan(Operation *op) {
  auto scan = dyn_cast<chlo::ScanOp>(op);
  if (!scan) {
    return std::nullopt;
  }
  TensorBuilder b(op);
  int64_t length = lengthOf(scan);
  Operation *combiner = combinerOf(scan);
  bool hasElements = length > 0 && elementsOf(scan->getResult(0)) > 0;
  if (combiner && hasElements && mayReorder(scan, combiner)) {
    return scanByWindows(b, scan, combiner);
  }
  if (length == 0) {
    // The outputs have no elements.
    SmallVector<Value> results;
    for (Value output : scan.getOutputs()) {
      results.push_back(b.zero(TensorBuilder::elementOf(output), shapeOf(output)));
    }
    llvm::append_range(results, scan.getInits());
    return results;
  }
  return scanByLoop(b, scan, length);
}

} // namespace drumlin

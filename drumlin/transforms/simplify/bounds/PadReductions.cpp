// Pads reductions, dots and sorts of values of bounded sizes with elements that change nothing.
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/SortOp.h"
#include "drumlin/transforms/simplify/bounds/PadOperations.h"

#include "drumlin/ir/plan/Reducers.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

using Operands = ArrayRef<BoundedValue>;
using Results = BoundedResults;

// Returns the neutral element of a body; null if the body isn't a known reducer.
static Value neutralElement(BoundedBuilder &b, Region &body, Type element) {
  std::optional<Reducer> reducer = knownReducer(body);
  auto number = dyn_cast<FloatType>(element);
  auto integer = dyn_cast<IntegerType>(element);
  if (!reducer || (!number && !integer) || stablehlo::isQuantized(element)) {
    return {};
  }
  OpBuilder &builder = b.operations();
  auto constant = [&](Attribute value) -> Value {
    auto type = RankedTensorType::get({}, element);
    return stablehlo::ConstantOp::create(builder, b.location(),
                                         DenseElementsAttr::get(type, value));
  };
  auto extreme = [&](bool isLargest) -> Value {
    if (number) {
      const llvm::fltSemantics &semantics = number.getFloatSemantics();
      bool hasInfinity = llvm::APFloat::semanticsHasInf(semantics);
      return constant(
          FloatAttr::get(number, hasInfinity ? llvm::APFloat::getInf(semantics, !isLargest)
                                             : llvm::APFloat::getLargest(semantics, !isLargest)));
    }
    unsigned bits = integer.getWidth();
    bool isSigned = !integer.isUnsigned() && bits > 1;
    llvm::APInt value =
        isLargest
            ? (isSigned ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits))
            : (isSigned ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits));
    return constant(IntegerAttr::get(integer, value));
  };
  switch (*reducer) {
  case Reducer::Add:
    // -0 + x = x, even if x is -0.
    return number ? constant(FloatAttr::get(number, -0.0)) : b.zero(element);
  case Reducer::Or:
  case Reducer::Xor:
    return b.zero(element);
  case Reducer::Multiply:
    return number ? b.number(element, 1) : b.integer(element, 1);
  case Reducer::Maximum:
    return extreme(false);
  case Reducer::Minimum:
    return extreme(true);
  case Reducer::And:
    return b.integer(element, ~uint64_t(0));
  }
  llvm_unreachable("every reducer is handled above");
}

// Adds a pair of arguments to the body that say whether the elements are valid. An invalid element
// leaves the other element unchanged.
static void addFlag(BoundedBuilder &b, Region &from, Region &to, size_t count) {
  IRMapping mapping;
  from.cloneInto(&to, mapping);
  Block &body = to.front();
  Type flag = RankedTensorType::get({}, b.operations().getI1Type());
  Value left = body.insertArgument(static_cast<unsigned>(count), flag, b.location());
  Value right = body.addArgument(flag, b.location());
  Operation *end = body.getTerminator();
  BoundedBuilder inside(end);
  SmallVector<Value> returned;
  for (size_t i = 0; i < count; ++i) {
    Value a = body.getArgument(static_cast<unsigned>(i));
    Value c = body.getArgument(static_cast<unsigned>(count + 1 + i));
    Value both = inside.select(left, end->getOperand(static_cast<unsigned>(i)), c);
    returned.push_back(inside.select(right, both, a));
  }
  returned.push_back(inside.logicalOr(left, right));
  end->setOperands(returned);
}

static SmallVector<Value> keptSizes(const BoundedValue &x, ArrayRef<int64_t> reduced) {
  SmallVector<Value> sizes;
  for (auto [d, size] : llvm::enumerate(x.sizes)) {
    if (!llvm::is_contained(reduced, static_cast<int64_t>(d))) {
      sizes.push_back(size);
    }
  }
  return sizes;
}

static Results padReduce(BoundedBuilder &b, stablehlo::ReduceOp op, Operands operands) {
  size_t count = op.getInputs().size();
  ArrayRef<int64_t> dimensions = op.getDimensions();
  SmallVector<Value> passed, initial;
  SmallVector<Type> types;
  for (size_t i = 0; i < count; ++i) {
    passed.push_back(operands[i].buffer);
    initial.push_back(operands[count + i].buffer);
    SmallVector<int64_t> shape;
    for (auto [d, size] : llvm::enumerate(shapeOf(passed.back()))) {
      if (!llvm::is_contained(dimensions, static_cast<int64_t>(d))) {
        shape.push_back(size);
      }
    }
    types.push_back(RankedTensorType::get(shape, resultType(op, i).getElementType()));
  }
  bool isBounded = llvm::any_of(dimensions, [&](int64_t d) { return operands[0].sizes[d]; });
  Value neutral = isBounded && count == 1
                      ? neutralElement(b, op.getBody(), TensorBuilder::elementOf(passed[0]))
                      : Value();
  Operation *made = nullptr;
  if (!isBounded || neutral) {
    passed[0] = isBounded ? b.masked(operands[0], dimensions, neutral) : passed[0];
    llvm::append_range(passed, initial);
    made = cloneOn(b, op, passed, types);
  } else {
    SmallVector<int64_t> shape(shapeOf(passed[0]));
    Type flag = b.operations().getI1Type();
    BoundedValue all{b.integer(flag, 1, shape), operands[0].sizes};
    passed.push_back(b.masked(all, dimensions, b.integer(flag, 0)));
    initial.push_back(b.integer(flag, 1));
    types.push_back(cast<RankedTensorType>(types[0]).clone(flag));
    auto reduce =
        stablehlo::ReduceOp::create(b.operations(), b.location(), TypeRange(types), passed, initial,
                                    b.operations().getDenseI64ArrayAttr(dimensions));
    addFlag(b, op.getBody(), reduce.getBody(), count);
    made = reduce;
  }
  SmallVector<BoundedValue> results;
  for (size_t i = 0; i < count; ++i) {
    results.push_back(
        {made->getResult(static_cast<unsigned>(i)), keptSizes(operands[0], dimensions)});
  }
  return results;
}

// Positions of a window outside of the valid elements have the initial value.
static Results padReduceWindow(BoundedBuilder &b, stablehlo::ReduceWindowOp op, Operands operands) {
  size_t count = op.getInputs().size();
  const BoundedValue &x = operands[0];
  auto padding = op.paddingOrDefault();
  auto strides = op.windowStridesOrDefault();
  auto base = op.baseDilationsOrDefault(), dilations = op.windowDilationsOrDefault();
  SmallVector<Value> passed, sizes = noSizes(static_cast<int64_t>(x.sizes.size()));
  SmallVector<int64_t> shape;
  for (size_t d = 0; d < x.sizes.size(); ++d) {
    int64_t extent = shapeOf(x.buffer)[d], around = padding[d].first + padding[d].second;
    int64_t window = (op.getWindowDimensions()[d] - 1) * dilations[d] + 1;
    int64_t dilated = extent == 0 ? 0 : (extent - 1) * base[d] + 1;
    shape.push_back(dilated + around < window ? 0 : (dilated + around - window) / strides[d] + 1);
    if (Value size = x.sizes[d]) {
      Value gaps = b.larger(b.subtract(size, b.count(1)), b.count(0));
      Value own = b.add(b.multiply(gaps, b.count(base[d])), b.smaller(size, b.count(1)));
      Value more = b.add(own, b.count(around - window + strides[d]));
      sizes[d] = b.divide(b.larger(more, b.count(0)), b.count(strides[d]));
    }
  }
  SmallVector<Type> types;
  for (size_t i = 0; i < count; ++i) {
    passed.push_back(b.masked(operands[i], allDimensions(x.buffer), operands[count + i].buffer));
    types.push_back(RankedTensorType::get(shape, resultType(op, i).getElementType()));
  }
  for (size_t i = count; i < 2 * count; ++i) {
    passed.push_back(operands[i].buffer);
  }
  Operation *made = cloneOn(b, op, passed, types);
  SmallVector<BoundedValue> results;
  for (Value result : made->getResults()) {
    results.push_back({result, sizes});
  }
  return results;
}

static Results padDot(BoundedBuilder &b, stablehlo::DotGeneralOp op, Operands operands) {
  stablehlo::ProductRoles roles(op);
  BoundedValue lhs = operands[0], rhs = operands[1];
  // Cuts both operands to equal extents along corresponding dimensions.
  auto meet = [&](ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
    for (auto [l, r] : llvm::zip_equal(left, right)) {
      int64_t extent = std::min(shapeOf(lhs.buffer)[l], shapeOf(rhs.buffer)[r]);
      lhs.buffer = b.slice(lhs.buffer, l, 0, extent);
      rhs.buffer = b.slice(rhs.buffer, r, 0, extent);
      Value size = lhs.sizes[l] ? lhs.sizes[l] : rhs.sizes[r];
      lhs.sizes[l] = rhs.sizes[r] = size;
    }
  };
  meet(roles.lhs().batch, roles.rhs().batch);
  meet(roles.lhs().contracting, roles.rhs().contracting);
  auto zeroed = [&](const BoundedValue &x, ArrayRef<int64_t> contracted) {
    return b.masked(x, contracted, b.zero(TensorBuilder::elementOf(x.buffer)));
  };
  lhs.buffer = zeroed(lhs, roles.lhs().contracting);
  rhs.buffer = zeroed(rhs, roles.rhs().contracting);
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes;
  auto add = [&](const BoundedValue &x, ArrayRef<int64_t> dimensions) {
    for (int64_t d : dimensions) {
      shape.push_back(shapeOf(x.buffer)[d]);
      sizes.push_back(x.sizes[d]);
    }
  };
  add(lhs, roles.lhs().batch);
  add(lhs, roles.lhs().free);
  add(rhs, roles.rhs().free);
  return oneResult(valueOn(b, op, {lhs.buffer, rhs.buffer},
                           RankedTensorType::get(shape, op.getType().getElementType())),
                   sizes);
}

// Sorts invalid elements after all others.
static Results padSort(BoundedBuilder &b, stablehlo::SortOp op, Operands operands) {
  auto rank = static_cast<int64_t>(operands[0].sizes.size());
  auto dimension = static_cast<int64_t>(op.getDimension());
  dimension += dimension < 0 ? rank : 0;
  SmallVector<Value> passed;
  SmallVector<Type> types;
  for (const BoundedValue &operand : operands) {
    passed.push_back(operand.buffer);
    types.push_back(operand.buffer.getType());
  }
  Operation *made = nullptr;
  if (Value size = operands[0].sizes[dimension]) {
    SmallVector<int64_t> shape(shapeOf(passed[0]));
    passed.push_back(b.isInside(shape, dimension, size));
    types.push_back(passed.back().getType());
    OperationState state(b.location(), op->getName());
    state.addOperands(passed);
    state.addTypes(types);
    state.addAttributes(op->getAttrs());
    Region *body = state.addRegion();
    IRMapping mapping;
    op.getComparator().cloneInto(body, mapping);
    Type flag = RankedTensorType::get({}, b.operations().getI1Type());
    Value left = body->front().addArgument(flag, b.location());
    Value right = body->front().addArgument(flag, b.location());
    Operation *end = body->front().getTerminator();
    BoundedBuilder inside(end);
    Value both = inside.logicalAnd(left, right);
    end->setOperand(0, inside.select(both, end->getOperand(0), left));
    made = b.operations().create(state);
  } else {
    made = cloneOn(b, op, passed, types);
  }
  SmallVector<BoundedValue> results;
  for (size_t i = 0; i < operands.size(); ++i) {
    results.push_back({made->getResult(static_cast<unsigned>(i)), operands[0].sizes});
  }
  return results;
}

Results padReduction(BoundedBuilder &b, Operation *op, Operands operands) {
  return TypeSwitch<Operation *, Results>(op)
      .Case<stablehlo::ReduceOp>([&](auto made) { return padReduce(b, made, operands); })
      .Case<stablehlo::ReduceWindowOp>(
          [&](auto made) { return padReduceWindow(b, made, operands); })
      .Case<stablehlo::DotGeneralOp>([&](auto made) { return padDot(b, made, operands); })
      .Case<stablehlo::SortOp>([&](auto made) { return padSort(b, made, operands); })
      .Default([](Operation *) { return Results(); });
}

} // namespace drumlin

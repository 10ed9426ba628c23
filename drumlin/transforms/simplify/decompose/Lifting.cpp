#include "drumlin/transforms/simplify/decompose/Lifting.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/NotOp.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace drumlin {

static bool isScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0;
}

bool isElementwise(Block &block) {
  return llvm::all_of(block, [](Operation &op) {
    bool isKnown = isa<stablehlo::ReturnOp, stablehlo::IfOp, stablehlo::CaseOp, stablehlo::WhileOp,
                       stablehlo::ConstantOp>(op) ||
                   (classify(&op) == OperationClass::Pointwise && op.getNumRegions() == 0);
    return isKnown && llvm::all_of(op.getOperandTypes(), isScalar) &&
           llvm::all_of(op.getResultTypes(), isScalar) &&
           llvm::all_of(op.getRegions(),
                        [](Region &region) { return isElementwise(region.front()); });
  });
}

bool isFunctionOfScalars(Block &block) {
  return llvm::all_of(block, [](Operation &op) {
    OperationClass kind = classify(&op);
    bool isKnown = isa<stablehlo::ReturnOp, stablehlo::ConstantOp>(op) ||
                   kind == OperationClass::Pointwise || kind == OperationClass::DataMovement;
    return isKnown && op.getNumRegions() == 0 && llvm::all_of(op.getOperandTypes(), isScalar) &&
           llvm::all_of(op.getResultTypes(), isScalar);
  });
}

namespace {
class Lifting {
public:
  Lifting(TensorBuilder &b, const TensorShape &shape) : b(b), shape(shape) {}

  // Returns the block's results for these arguments, for the elements where `active` is true; null
  // means all elements.
  SmallVector<Value> run(Block &block, ValueRange arguments, Value active) {
    for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments)) {
      lifted.map(argument, value);
    }
    for (Operation &op : block.without_terminator()) {
      if (auto branch = dyn_cast<stablehlo::IfOp>(op)) {
        liftIf(branch, active);
      } else if (auto branches = dyn_cast<stablehlo::CaseOp>(op)) {
        liftCase(branches, active);
      } else if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
        liftWhile(loop, active);
      } else {
        liftElementwise(op);
      }
    }
    return liftAll(block.getTerminator()->getOperands());
  }

private:
  // Returns the tensor that replaces a scalar. Broadcasts a scalar from outside the block.
  Value lift(Value scalar) {
    if (Value known = lifted.lookupOrNull(scalar)) {
      return known;
    }
    return b.broadcast(scalar, shape);
  }
  SmallVector<Value> liftAll(ValueRange scalars) {
    return llvm::map_to_vector(scalars, [this](Value scalar) { return lift(scalar); });
  }

  void liftElementwise(Operation &op) {
    if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
      Operation *same = b.operations().clone(op);
      same->setLoc(b.location());
      lifted.map(op.getResult(0), b.broadcast(same->getResult(0), shape));
      return;
    }
    IRMapping operands;
    for (Value operand : op.getOperands()) {
      operands.map(operand, lift(operand));
    }
    Operation *made = b.operations().clone(op, operands);
    for (auto [scalar, tensor] : llvm::zip_equal(op.getResults(), made->getResults())) {
      tensor.setType(shape.typeOf(TensorBuilder::elementOf(scalar)));
      lifted.map(scalar, tensor);
    }
  }

  Value both(Value x, Value y) { return x ? b.logicalAnd(x, y) : y; }

  void selectResults(Operation *op, Value predicate, ArrayRef<Value> onTrue,
                     ArrayRef<Value> onFalse) {
    for (auto [result, x, y] : llvm::zip_equal(op->getResults(), onTrue, onFalse)) {
      lifted.map(result, b.select(predicate, x, y));
    }
  }

  void liftIf(stablehlo::IfOp op, Value active) {
    Value predicate = lift(op.getPred());
    Value negated = b.unary<stablehlo::NotOp>(predicate);
    SmallVector<Value> onTrue = run(op.getTrueBranch().front(), {}, both(active, predicate));
    SmallVector<Value> onFalse = run(op.getFalseBranch().front(), {}, both(active, negated));
    selectResults(op, predicate, onTrue, onFalse);
  }

  // An index out of range selects the last branch.
  void liftCase(stablehlo::CaseOp op, Value active) {
    using stablehlo::ComparisonDirection;
    Value index = lift(op.getIndex());
    auto last = static_cast<unsigned>(op.getBranches().size() - 1);
    SmallVector<Value> chosen;
    Value isLast;
    SmallVector<Value> isOther;
    for (unsigned i = 0; i < last; ++i) {
      isOther.push_back(b.compare(ComparisonDirection::EQ, index, b.like(index, i)));
      Value isNot = b.unary<stablehlo::NotOp>(isOther.back());
      isLast = isLast ? b.logicalAnd(isLast, isNot) : isNot;
    }
    chosen = run(op.getBranches()[last].front(), {}, isLast ? both(active, isLast) : active);
    for (unsigned i = 0; i < last; ++i) {
      SmallVector<Value> own = run(op.getBranches()[i].front(), {}, both(active, isOther[i]));
      for (auto [value, mine] : llvm::zip_equal(chosen, own)) {
        value = b.select(isOther[i], mine, value);
      }
    }
    for (auto [result, value] : llvm::zip_equal(op.getResults(), chosen)) {
      lifted.map(result, value);
    }
  }

  // Rewrites a loop as while(any(active)) { carried = select(active, body(carried), carried) }.
  void liftWhile(stablehlo::WhileOp op, Value active) {
    SmallVector<Value> initial = liftAll(op->getOperands());
    Value first = both(active, run(op.getCond().front(), initial, active).front());
    initial.push_back(first);
    auto anyGoesOn = [&](TensorBuilder &, ValueRange carried) {
      // The sum of Booleans is true if any of them is true.
      return b.sum(carried.back(),
                   llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(shape.size()))));
    };
    auto step = [&](TensorBuilder &, ValueRange carried) {
      Value goesOn = carried.back();
      SmallVector<Value> next = run(op.getBody().front(), carried.drop_back(), goesOn);
      for (auto [value, old] : llvm::zip_equal(next, carried.drop_back())) {
        value = b.select(goesOn, value, old);
      }
      next.push_back(both(goesOn, run(op.getCond().front(), next, goesOn).front()));
      return next;
    };
    SmallVector<Value> results = b.whileLoop(initial, anyGoesOn, step);
    for (auto [result, value] : llvm::zip(op.getResults(), results)) {
      lifted.map(result, value);
    }
  }

  TensorBuilder &b;
  TensorShape shape;
  IRMapping lifted;
};
} // namespace

SmallVector<Value> lift(TensorBuilder &b, Block &block, ValueRange arguments,
                        const TensorShape &shape) {
  return Lifting(b, shape).run(block, arguments, Value());
}

static SmallVector<Value> inLine(TensorBuilder &b, Block &block, ValueRange arguments) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator()) {
    b.operations().clone(op, mapping);
  }
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

SmallVector<Value> applyToElements(TensorBuilder &b, Block &block, ValueRange arguments,
                                   const TensorShape &shape) {
  if (shape.empty()) {
    return inLine(b, block, arguments);
  }
  if (isElementwise(block)) {
    return lift(b, block, arguments, shape);
  }
  Size count = shape.elements();
  SmallVector<Value> lists, results;
  for (Value argument : arguments) {
    lists.push_back(b.reshape(argument, {count}));
  }
  for (Type type : block.getTerminator()->getOperandTypes()) {
    results.push_back(b.zero(cast<RankedTensorType>(type).getElementType(), {count}));
  }
  auto step = [&](TensorBuilder &, Value i, ValueRange carried) {
    SmallVector<Value> elements =
        llvm::map_to_vector(lists, [&](Value list) { return b.sliceAt(list, 0, i); });
    SmallVector<Value> made = inLine(b, block, elements);
    for (auto [element, list] : llvm::zip_equal(made, carried)) {
      element = b.updateAt(list, element, 0, i);
    }
    return made;
  };
  results = b.countedLoop(b.count(count), results, step);
  for (Value &result : results) {
    result = b.reshape(result, shape);
  }
  return results;
}

} // namespace drumlin

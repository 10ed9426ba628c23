// Folds f(constants) to the constant that the interpreter computes. If a host call has an empty
// result, empty results become constants too.
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/simplify/Passes.h"

#include "drumlin/interpreter/ConstantConversion.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/HostCallOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/TensorAttribute.h"
#include "drumlin/support/Cost.h"
#include "drumlin/transforms/KernelFormation.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// Maximum elements that one evaluation reads, computes and combines. Larger evaluations are left to
// the compiled program.
static constexpr int64_t maxEvaluatedElements = 1 << 16;
// Maximum elements of one operand. For a larger operand, folding takes longer than reading it at
// run time.
static constexpr int64_t maxOperandElements = 4096;
// Maximum operations that are executed in regions, one at a time: a loop in a region may be
// endless.
static constexpr int64_t maxEvaluatedSteps = 1 << 18;

// Returns the number of elements that the interpreter processes. For a window operation, these are
// the positions of all windows, and the elements of a copy of the operand with padding and
// dilation.
static int64_t evaluatedElements(Operation *op) {
  int64_t elements = 0;
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults())) {
    elements = addSaturating(elements, elementsOf(value));
  }
  auto window = dyn_cast<stablehlo::ReduceWindowOp>(op);
  if (!window) {
    return elements;
  }
  int64_t padded = 1, positions = elementsOf(op->getResult(0));
  auto padding = window.paddingOrDefault();
  auto dilations = window.baseDilationsOrDefault();
  for (auto [d, size] : llvm::enumerate(shapeOf(op->getOperand(0)))) {
    int64_t extent = addSaturating(multiplySaturating(size, dilations[d]),
                                   addSaturating(std::max<int64_t>(padding[d].first, 0),
                                                 std::max<int64_t>(padding[d].second, 0)));
    padded = multiplySaturating(padded, extent);
    positions = multiplySaturating(positions, window.getWindowDimensions()[d]);
  }
  int64_t inputs = window.getInputs().size();
  return addSaturating(elements, multiplySaturating(inputs, addSaturating(padded, positions)));
}

static Decision decideFold(Operation *op) {
  for (Value operand : op->getOperands()) {
    if (!operand.getDefiningOp<stablehlo::ConstantOp>()) {
      return Decision::declined(Reason::NotConstant, operand.getDefiningOp());
    }
    if (elementsOf(operand) > maxOperandElements) {
      return Decision::declined(Reason::OverBudget, op);
    }
  }
  if (evaluatedElements(op) > maxEvaluatedElements) {
    return Decision::declined(Reason::OverBudget, op);
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  if (!captured.empty()) {
    return Decision::declined(Reason::NotConstant, captured.front().getDefiningOp());
  }
  for (Value result : op->getResults()) {
    if (hasSymbolicSizes(result.getType())) {
      return Decision::declined(Reason::OverBudget, op);
    }
    // Larger constants would be read from memory, which is slower than computing them.
    if (elementsOf(result) > maxKernelConstantElements) {
      return Decision::declined(Reason::OverBudget, op);
    }
  }
  return Decision::taken();
}

static bool isEmpty(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && !hasSymbolicSizes(type) && type.getNumElements() == 0;
}

struct FoldConstantsPass : impl::FoldConstantsPassBase<FoldConstantsPass> {
  FoldConstantsPass() = default;
  explicit FoldConstantsPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    Ledger &record = ledger ? *ledger : own;
    foldEmpty(record);
    SmallVector<Operation *> candidates;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool hasConstants =
          op->getNumOperands() != 0 && llvm::all_of(op->getOperands(), [](Value operand) {
            return operand.getDefiningOp<stablehlo::ConstantOp>();
          });
      bool folds = isFusible(op) && !isa<stablehlo::ConstantOp, stablehlo::BroadcastInDimOp>(op);
      // Operations in regions of reductions aren't folded separately.
      if (folds && (hasConstants || mayBecomeConstant(op))) {
        candidates.push_back(op);
      }
      return classify(op) == OperationClass::Reduction ? WalkResult::skip() : WalkResult::advance();
    });
    for (Operation *op : candidates) {
      Decision decision = decideFold(op);
      // Operations that never had constant operands are not recorded.
      if (decision.reason == Reason::NotConstant) {
        continue;
      }
      std::vector<Tensor> results;
      if (decision.isTaken()) {
        decision = evaluateConstant(op, results);
      }
      decision = record.recordUnlessOff(Rule::FoldConstant, op, decision);
      if (decision.isTaken()) {
        fold(op, results);
      }
    }
  }

private:
  // Removes host calls without result elements, since the code outside of the program may not
  // support sizes of 0. Other operations without elements cost nothing.
  void foldEmpty(Ledger &record) {
    bool isCalled = false;
    getOperation().walk([&](plan::HostCallOp call) {
      isCalled |= !call.getHasSideEffect() && llvm::any_of(call.getResults(), isEmpty);
    });
    if (!isCalled) {
      return;
    }
    SmallVector<Operation *> makers;
    getOperation().walk([&](Operation *op) {
      bool folds = isFusible(op) || isa<plan::HostCallOp>(op);
      bool isUsed = llvm::any_of(
          op->getResults(), [](Value result) { return isEmpty(result) && !result.use_empty(); });
      if (folds && isUsed && !isa<stablehlo::ConstantOp>(op) && isMemoryEffectFree(op)) {
        makers.push_back(op);
      }
    });
    for (Operation *op : makers) {
      if (record.recordUnlessOff(Rule::FoldConstant, op, Decision::taken()).isTaken()) {
        OpBuilder builder(op);
        for (Value result : llvm::make_filter_range(op->getResults(), isEmpty)) {
          Tensor none(elementTypeOf(cast<ShapedType>(result.getType()).getElementType()),
                      Shape(cast<ShapedType>(result.getType()).getShape()));
          result.replaceAllUsesWith(stablehlo::ConstantOp::create(
              builder, op->getLoc(), attributeFromTensor(none, op->getContext())));
        }
      }
    }
    // Operations are visited from last to first, so that operations used only by dead operations
    // are dead too.
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (isOpTriviallyDead(op) &&
          record.recordUnlessOff(Rule::FoldConstant, op, Decision::taken()).isTaken()) {
        op->erase();
      }
    });
  }

  // Returns whether each operand is a constant, or may become one before the operation is visited.
  // Candidates for folding are visited in program order.
  static bool mayBecomeConstant(Operation *op) {
    return op->getNumOperands() != 0 && llvm::all_of(op->getOperands(), [](Value operand) {
             Operation *defining = operand.getDefiningOp();
             return defining && isFusible(defining);
           });
  }

  // Declines if the evaluation would exceed its budget.
  static Decision evaluateConstant(Operation *op, std::vector<Tensor> &made) {
    std::vector<Tensor> operands;
    for (Value operand : op->getOperands()) {
      Result<Tensor> tensor =
          tensorFromAttribute(operand.getDefiningOp<stablehlo::ConstantOp>().getValue());
      if (!tensor) {
        return Decision::declined(Reason::OverBudget, op);
      }
      operands.push_back(*tensor);
    }
    InterpreterOptions options;
    options.maxSteps = maxEvaluatedSteps;
    Result<std::vector<Tensor>> results = evaluate(op, operands, options);
    if (!results) {
      return Decision::declined(Reason::OverBudget, op);
    }
    made = std::move(*results);
    return Decision::taken();
  }

  static void fold(Operation *op, const std::vector<Tensor> &results) {
    OpBuilder builder(op);
    for (auto [result, tensor] : llvm::zip(op->getResults(), results)) {
      auto constant = stablehlo::ConstantOp::create(builder, op->getLoc(),
                                                    attributeFromTensor(tensor, op->getContext()));
      result.replaceAllUsesWith(constant.getResult());
    }
    op->erase();
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createFoldConstantsPass(Ledger &ledger) {
  return std::make_unique<FoldConstantsPass>(ledger);
}

} // namespace drumlin

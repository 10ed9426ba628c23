// f(constants) = the constant that the interpreter computes
#include "drumlin/transforms/simplify/Passes.h"

#include "drumlin/interpreter/ConstantConversion.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/transforms/KernelFormation.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// Elements that one evaluation may read: more is left to the compiled program.
static constexpr int64_t maxOperandElements = 4096;

static Decision decideFold(Operation *op) {
  for (Value operand : op->getOperands()) {
    if (!operand.getDefiningOp<stablehlo::ConstantOp>()) {
      return Decision::declined(Reason::NotConstant, operand.getDefiningOp());
    }
    if (elementsOf(operand) > maxOperandElements) {
      return Decision::declined(Reason::OverBudget, op);
    }
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  if (!captured.empty()) {
    return Decision::declined(Reason::NotConstant, captured.front().getDefiningOp());
  }
  for (Value result : op->getResults()) {
    // Larger constants would be read from memory, which costs more than computing them.
    if (elementsOf(result) > maxKernelConstantElements) {
      return Decision::declined(Reason::OverBudget, op);
    }
  }
  return Decision::taken();
}

struct FoldConstantsPass : impl::FoldConstantsPassBase<FoldConstantsPass> {
  FoldConstantsPass() = default;
  explicit FoldConstantsPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    Ledger &record = ledger ? *ledger : own;
    SmallVector<Operation *> candidates;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool hasConstants =
          op->getNumOperands() != 0 && llvm::all_of(op->getOperands(), [](Value operand) {
            return operand.getDefiningOp<stablehlo::ConstantOp>();
          });
      bool folds = isFusible(op) && !isa<stablehlo::ConstantOp, stablehlo::BroadcastInDimOp>(op);
      // Regions of reductions are theirs.
      if (folds && (hasConstants || mayBecomeConstant(op))) {
        candidates.push_back(op);
      }
      return classify(op) == OperationClass::Reduction ? WalkResult::skip() : WalkResult::advance();
    });
    for (Operation *op : candidates) {
      Decision decision = decideFold(op);
      // What never had constant operands is no decision worth a line.
      if (decision.reason == Reason::NotConstant) {
        continue;
      }
      decision = record.settle("fold-constant", op, decision);
      if (decision.isTaken()) {
        fold(op);
      }
    }
  }

private:
  // All of its operands are folded before it, if they are at all: candidates are in program order.
  static bool mayBecomeConstant(Operation *op) {
    return op->getNumOperands() != 0 && llvm::all_of(op->getOperands(), [](Value operand) {
             Operation *defining = operand.getDefiningOp();
             return defining && isFusible(defining);
           });
  }

  static void fold(Operation *op) {
    std::vector<Tensor> operands;
    for (Value operand : op->getOperands()) {
      Result<Tensor> tensor =
          tensorFromAttribute(operand.getDefiningOp<stablehlo::ConstantOp>().getValue());
      if (!tensor) {
        return;
      }
      operands.push_back(*tensor);
    }
    Result<std::vector<Tensor>> results = evaluate(op, operands);
    if (!results) {
      return;
    }
    OpBuilder builder(op);
    for (auto [result, tensor] : llvm::zip(op->getResults(), *results)) {
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

#include "drumlin/ir/stablehlo/ImagOp.h"
#include "drumlin/ir/stablehlo/MapOp.h"
#include "drumlin/ir/stablehlo/RealOp.h"
#include "drumlin/transforms/simplify/Passes.h"
#include "drumlin/transforms/simplify/complex/ComplexSplitter.h"
#include "drumlin/transforms/simplify/decompose/IndependentParts.h"
#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SPLITCOMPLEXPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// Returns whether the function has complex numbers. If the function has dynamic sizes, ignores it.
// Otherwise sets `canSplit` to whether the pass can split it.
static bool hasComplex(func::FuncOp function, bool &canSplit) {
  bool found = false;
  auto look = [&](Type type) {
    found |= isComplexType(type);
    auto tensor = dyn_cast<RankedTensorType>(type);
    canSplit &= !isComplexType(type) || (tensor && tensor.hasStaticShape());
  };
  llvm::for_each(function.getArgumentTypes(), look);
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), look);
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        llvm::for_each(block.getArgumentTypes(), look);
      }
    }
    bool touches = llvm::any_of(op->getOperandTypes(), isComplexType);
    canSplit &= !touches || !isa<stablehlo::MapOp>(op);
  });
  return found;
}

// A real number is its own real part, and its imaginary part is 0.
static void replacePartsOfReals(func::FuncOp function) {
  function.walk([](Operation *op) {
    if (!isa<stablehlo::RealOp, stablehlo::ImagOp>(op) ||
        isComplexType(op->getOperand(0).getType())) {
      return;
    }
    Value part = op->getOperand(0);
    auto type = cast<RankedTensorType>(part.getType());
    if (isa<stablehlo::ImagOp>(op)) {
      if (!type.hasStaticShape()) {
        return;
      }
      OpBuilder builder(op);
      part =
          TensorBuilder(builder, op->getLoc()).number(type.getElementType(), 0.0, type.getShape());
    }
    op->getResult(0).replaceAllUsesWith(part);
    op->erase();
  });
}

struct SplitComplexPass : impl::SplitComplexPassBase<SplitComplexPass> {
  void runOnOperation() override {
    replacePartsOfReals(getOperation());
    bool canSplit = true;
    if (!hasComplex(getOperation(), canSplit) || !canSplit) {
      return;
    }
    ComplexSplitter splitter(getOperation());
    splitter.run();
    for (Operation *op : splitter.independentOperations()) {
      if (IndependentParts parts(op); parts.areSeveral()) {
        op->replaceAllUsesWith(parts.separate());
        op->erase();
      }
    }
  }
};

} // namespace drumlin

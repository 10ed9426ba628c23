// Decomposes operations that are defined by other operations: operations of CHLO and of older
// programs, and operations that the specification defines as a composition. Functions that have a
// kernel of their own (erf, asin, top_k …) are kept.
#include "drumlin/transforms/PassFailure.h"
#include "drumlin/transforms/simplify/Passes.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/PlanDialect.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_DECOMPOSEOPERATIONSPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

static bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && !stablehlo::isQuantized(tensor);
}

static constexpr Replacements (*families[])(Operation *) = {
    decomposeBatchNorm,   decomposeBodies,     decomposeChlo,   decomposeCollectives,
    decomposeCustomCall,  decomposeEinsum,     decomposeLegacy, decomposeLinearAlgebra,
    decomposeMap,         decomposeRandomBits, decomposeScan,   decomposeRaggedDot,
    decomposeIndependent,
};

struct DecomposeOperationsPass : impl::DecomposeOperationsPassBase<DecomposeOperationsPass> {
  using DecomposeOperationsPassBase::DecomposeOperationsPassBase;
  explicit DecomposeOperationsPass(std::optional<drumlin::Diagnostic> &failure)
      : failure(&failure) {}

  void runOnOperation() override {
    if (!chloOnly) {
      inlineAsynchronous(getOperation().getBody());
      if (Status status = checkCollectives(getOperation().getBody()); !status) {
        reportFailure(getOperation(), status.error(), failure);
        signalPassFailure();
        return;
      }
      decomposeDraws(getOperation().getBody());
    }
    // Operations in a region are decomposed before the operation that contains them.
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      bool mayDecompose =
          isa_and_nonnull<chlo::ChloDialect>(op->getDialect()) ||
          (!chloOnly && isa_and_nonnull<stablehlo::StablehloDialect>(op->getDialect()));
      if (mayDecompose) {
        ops.push_back(op);
      }
    });
    for (Operation *op : ops) {
      if (!chloOnly) {
        decomposeBranches(op);
        if (decomposeTuple(op)) {
          continue;
        }
      }
      if (llvm::all_of(llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()),
                       isStatic)) {
        decompose(op);
      }
    }
  }

private:
  static void decompose(Operation *op) {
    for (auto family : families) {
      if (Replacements made = family(op)) {
        op->replaceAllUsesWith(*made);
        op->erase();
        return;
      }
    }
  }

  std::optional<drumlin::Diagnostic> *failure = nullptr;
};

std::unique_ptr<Pass> createDecomposeOperationsPass(std::optional<drumlin::Diagnostic> &failure) {
  return std::make_unique<DecomposeOperationsPass>(failure);
}

} // namespace drumlin

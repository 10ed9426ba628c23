// Finds the names that the program gives its sizes. Exported programs pass each size as an argument
// to functions; an attribute of the argument has the name. This information is lost when calls are
// inlined.
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/transforms/simplify/Passes.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_NAMESIZESPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

static constexpr llvm::StringLiteral exportedName = "jax.global_constant";

struct NameSizesPass : impl::NameSizesPassBase<NameSizesPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    entryFunction(getOperation()).walk([&](func::CallOp call) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee || callee.getNumArguments() != call.getNumOperands()) {
        return;
      }
      for (auto [i, operand] : llvm::enumerate(call.getOperands())) {
        auto name = callee.getArgAttrOfType<StringAttr>(static_cast<unsigned>(i), exportedName);
        Operation *made = operand.getDefiningOp();
        if (name && !name.empty() && made && !isa<func::CallOp>(made)) {
          made->setAttr(sizeNameAttribute, name);
        }
      }
    });
  }
};

} // namespace drumlin

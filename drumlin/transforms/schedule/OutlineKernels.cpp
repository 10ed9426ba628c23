// Turns each kernel-forming operation into a kernel symbol. Kernels with equal keys become one
// symbol.
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/LibraryCallOp.h"
#include "drumlin/transforms/schedule/Passes.h"

#include "drumlin/ir/plan/KernelKey.h"
#include "drumlin/ir/plan/gemm/SmallSchedule.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "drumlin/transforms/schedule/Passes.h.inc"

struct OutlineKernelsPass : impl::OutlineKernelsPassBase<OutlineKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> kernels;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (plan::kernelKindOf(op)) {
        // A library call is not one of the generated kernels.
        if (!isa<plan::LibraryCallOp>(op)) {
          kernels.push_back(op);
        }
        return WalkResult::skip();
      }
      return WalkResult::advance();
    });
    llvm::StringMap<plan::KernelOp> byKey;
    llvm::StringMap<int64_t> numbers;
    OpBuilder symbols = OpBuilder::atBlockEnd(module.getBody());
    for (Operation *op : kernels) {
      plan::KernelKind kind = *plan::kernelKindOf(op);
      auto made = plan::KernelOp::create(symbols, op->getLoc(), "", kind, "");
      made.getBody().takeBody(op->getRegion(0));
      for (const char *name :
           {plan::forcedKernelAttribute, plan::scheduleAttribute, plan::sumUnitsAttribute,
            smallScheduleAttribute, smallSizeAttribute}) {
        if (Attribute attribute = op->getAttr(name)) {
          made->setAttr(name, attribute);
        }
      }
      made.setKey(plan::kernelKey(made));
      plan::KernelOp &kernel = byKey[made.getKey()];
      if (kernel) {
        made.erase();
      } else {
        std::string name = plan::stringifyKernelKind(kind).str();
        name += "_" + std::to_string(numbers[name]++);
        made.setSymName(name);
        kernel = made;
      }
      OpBuilder builder(op);
      auto launch = plan::LaunchOp::create(builder, op->getLoc(), op->getResultTypes(),
                                           FlatSymbolRefAttr::get(kernel.getSymNameAttr()),
                                           op->getOperands());
      op->replaceAllUsesWith(launch->getResults());
      op->erase();
    }
  }
};

} // namespace drumlin

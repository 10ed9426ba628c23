// Kernels are keyed by the hash of their canonical text: names renumbered by the printer, locations
// off. Hashes of addresses, which MLIR's own fingerprints contain, would differ from process to
// process.
#include "drumlin/transforms/schedule/Passes.h"

#include "drumlin/ir/plan/PlanDialect.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/BLAKE3.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "drumlin/transforms/schedule/Passes.h.inc"

static std::string canonicalText(Operation *kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << kernel->getName().getStringRef() << " ";
  if (Attribute forced = kernel->getAttr(plan::forcedKernelAttribute)) {
    stream << forced << " ";
  }
  AsmState state(kernel, OpPrintingFlags().printGenericOpForm().enableDebugInfo(false));
  for (Type type : kernel->getOperandTypes()) {
    stream << type << ",";
  }
  for (Operation &op : kernel->getRegion(0).front()) {
    op.print(stream, state);
    stream << "\n";
  }
  return text;
}

static std::string keyOf(StringRef text) {
  llvm::BLAKE3 hasher;
  hasher.update(text);
  return llvm::toHex(hasher.final<16>(), /*LowerCase=*/true);
}

struct OutlineKernelsPass : impl::OutlineKernelsPassBase<OutlineKernelsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Operation *> kernels;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (plan::kernelKindOf(op)) {
        kernels.push_back(op);
        return WalkResult::skip();
      }
      return WalkResult::advance();
    });
    llvm::StringMap<plan::KernelOp> byKey;
    llvm::StringMap<int64_t> numbers;
    OpBuilder symbols = OpBuilder::atBlockEnd(module.getBody());
    for (Operation *op : kernels) {
      std::string key = keyOf(canonicalText(op));
      plan::KernelOp &kernel = byKey[key];
      plan::KernelKind kind = *plan::kernelKindOf(op);
      if (!kernel) {
        std::string name = plan::stringifyKernelKind(kind).str();
        name += "_" + std::to_string(numbers[name]++);
        kernel = plan::KernelOp::create(symbols, op->getLoc(), name, kind, key);
        kernel.getBody().takeBody(op->getRegion(0));
        if (Attribute forced = op->getAttr(plan::forcedKernelAttribute)) {
          kernel->setAttr(plan::forcedKernelAttribute, forced);
        }
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

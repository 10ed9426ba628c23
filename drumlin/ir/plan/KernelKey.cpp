#include "drumlin/ir/plan/KernelKey.h"

#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/gemm/SmallSchedule.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

using namespace mlir;

namespace drumlin::plan {

// Adds the contents of resource attributes, because the printed text contains only their names.
static void addResources(Operation *op, llvm::BLAKE3 &hasher) {
  op->walk([&](Operation *nested) {
    for (NamedAttribute attribute : nested->getAttrs()) {
      attribute.getValue().walk([&](DenseResourceElementsAttr resource) {
        if (AsmResourceBlob *blob = resource.getRawHandle().getBlob()) {
          hasher.update(llvm::ArrayRef<uint8_t>(
              reinterpret_cast<const uint8_t *>(blob->getData().data()), blob->getData().size()));
        }
      });
    }
  });
}

// Returns the hash of the kernel's text. The printer numbers the values. MLIR's own fingerprints
// are unsuitable: they contain hashes of addresses, which differ between processes. Aliases of
// attributes are not printed, because the same alias may stand for different attributes in
// different texts.
static std::string keyOf(KernelOp kernel, llvm::ArrayRef<StringRef> attributes) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << stringifyKernelKind(kernel.getKind()) << " ";
  for (StringRef name : attributes) {
    if (Attribute attribute = kernel->getAttr(name)) {
      stream << attribute << " ";
    }
  }
  Block &body = kernel.getBody().front();
  llvm::interleaveComma(body.getArgumentTypes(), stream);
  stream << "\n";
  AsmState state(kernel,
                 OpPrintingFlags().printGenericOpForm().enableDebugInfo(false).useLocalScope());
  for (Operation &op : body) {
    op.print(stream, state);
    stream << "\n";
  }
  llvm::BLAKE3 hasher;
  hasher.update(text);
  addResources(kernel, hasher);
  return llvm::toHex(hasher.final<16>(), /*LowerCase=*/true);
}

std::string kernelKey(KernelOp kernel) {
  return keyOf(kernel, {forcedKernelAttribute, scheduleAttribute, smallScheduleAttribute,
                        smallSizeAttribute, effortAttribute});
}

std::string problemKey(KernelOp kernel) { return keyOf(kernel, {forcedKernelAttribute}); }

void recomputeKeys(ModuleOp module) {
  for (auto kernel : module.getOps<KernelOp>()) {
    kernel.setKey(kernelKey(kernel));
  }
}

} // namespace drumlin::plan

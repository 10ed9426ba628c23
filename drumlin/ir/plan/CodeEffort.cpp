#include "drumlin/ir/plan/CodeEffort.h"

#include "drumlin/ir/plan/KernelKey.h"
#include "drumlin/ir/plan/KernelOp.h"

#include <algorithm>
#include <iterator>

using namespace mlir;

namespace drumlin::plan {

static constexpr std::string_view names[] = {"full", "lean", "quick"};

std::optional<CodeEffort> codeEffortFromName(std::string_view name) {
  const auto *found = std::ranges::find(names, name);
  return found == std::end(names) ? std::nullopt
                                  : std::optional(static_cast<CodeEffort>(found - names));
}

std::string_view codeEffortName(CodeEffort effort) { return names[static_cast<size_t>(effort)]; }

CodeEffort codeEffort(KernelOp kernel) {
  auto given = kernel->getAttrOfType<StringAttr>(effortAttribute);
  return given ? codeEffortFromName(given.getValue()).value_or(CodeEffort::Full) : CodeEffort::Full;
}

void setCodeEffort(KernelOp kernel, CodeEffort effort) {
  if (effort == CodeEffort::Full) {
    kernel->removeAttr(effortAttribute);
  } else {
    kernel->setAttr(effortAttribute,
                    StringAttr::get(kernel.getContext(), llvm::StringRef(codeEffortName(effort))));
  }
  kernel.setKey(kernelKey(kernel));
}

size_t codeSize(KernelOp kernel) {
  constexpr size_t operationsOfHero = 32;
  return kernel.getBody().front().getOperations().size() +
         (kernel.getKind() == KernelKind::loop ? 0 : operationsOfHero);
}

} // namespace drumlin::plan

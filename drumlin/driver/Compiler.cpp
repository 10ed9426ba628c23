#include "drumlin/driver/Compiler.h"

#include "drumlin/driver/WeightTable.h"
#include "drumlin/driver/backend/BackendChoice.h"
#include "drumlin/ir/costs/SymbolicCost.h"
#include "drumlin/ir/plan/Processes.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"

namespace drumlin {

static constexpr const char *programAttribute = "plan.program";

Tensor Compilation::storedWeight(size_t number) const {
  if (number < phases.weights.size()) {
    return storedElements(phases.weights[number].tensor, description.weights[number].value);
  }
  size_t before = 0;
  for (size_t i = phases.weights.size(); i < number; ++i) {
    before += description.weights[i].isAppended;
  }
  return constants[before].elements;
}

std::vector<Tensor> Compilation::storedWeights() const {
  std::vector<Tensor> stored;
  for (size_t i = 0; i < phases.weights.size(); ++i) {
    if (!description.weights[i].isEmbedded()) {
      stored.push_back(storedWeight(i));
    }
  }
  for (const HeldConstant &constant : constants) {
    stored.push_back(constant.isOwned() ? constant.elements : constant.elements.clone());
  }
  return stored;
}

Result<std::unique_ptr<Executable>> Compilation::load(const std::string &name,
                                                      LoadOptions options) const {
  options.weights = storedWeights();
  return Executable::loadFromMemory(std::as_bytes(std::span(image)), name, options);
}

void price(mlir::ModuleOp plan, Compilation &made) {
  made.costs = planCost(plan, &made.phases.kernelCosts);
  addSymbolicCosts(plan, made.costs);
  made.planText = planText(plan, made.costs);
}

Result<Compilation> compile(mlir::ModuleOp module, const std::string &name,
                            const CompileOptions &given) {
  const CompileOptions options = withBudget(module, given);
  std::unique_ptr<const Backend> backend = backendOf(*options.target);
  if (!backend->makesCode()) {
    return withoutCode(*options.target);
  }
  // The text of a phase keeps the name of the original program.
  auto named = module->getAttrOfType<mlir::StringAttr>(programAttribute);
  std::string program = named ? named.str() : name;
  module->setAttr(programAttribute, mlir::StringAttr::get(module.getContext(), program));
  bool isPlanOnly = !options.stopAfter.empty();
  // Reports operations without native code before any phase runs.
  if (!isPlanOnly) {
    if (Status alone = checkProcessCount(module, gridFor(module, options), Meetings::All); !alone) {
      return alone.error();
    }
  }
  Compilation made;
  if (Status planned = runPhases(module, options, made.phases); !planned) {
    return planned.error();
  }
  if (isPlanOnly) {
    price(module, made);
  } else if (Status image = backend->makeImage(module, program, options, made); !image) {
    return image.error();
  }
  return made;
}

} // namespace drumlin

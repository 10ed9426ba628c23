#include "GenerateFunctions.h"

#include "drumlin/codegen/cpu/math/MathLibrary.h"
#include "drumlin/driver/Phases.h"
#include "drumlin/ir/stablehlo/test/ElementwiseUses.h"

#include "llvm/ADT/STLExtras.h"

namespace drumlin::fuzz {

bool Functions::isApproximation(const std::string &name) const {
  return llvm::any_of(approximations,
                      [&](const auto &each) { return llvm::is_contained(each.second, name); });
}

static Functions functionsOfDialects() {
  Functions functions;
  mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  for (const stablehlo::ElementwiseUse &use : stablehlo::elementwiseUses(context)) {
    // Generator::chloForm() emits `chlo.conj`.
    if (use.operands != 1 || use.operation == "chlo.conj") {
      continue;
    }
    const MathFunction *native = findMathFunction(use.mnemonic(), MathElement::F32);
    bool isRounded = native && native->maxUlp > 0.5;
    for (const std::string &type : use.elementTypes) {
      (isRounded ? functions.approximations : functions.exact)[*elementTypeFromName(type)]
          .push_back(use.operation);
    }
  }
  return functions;
}

const Functions &allFunctions() {
  static const Functions functions = functionsOfDialects();
  return functions;
}

} // namespace drumlin::fuzz

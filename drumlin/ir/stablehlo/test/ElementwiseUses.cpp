#include "drumlin/ir/stablehlo/test/ElementwiseUses.h"
#include "drumlin/ir/stablehlo/StablehloOperation.h"

#include "drumlin/ir/stablehlo/StablehloDialect.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace drumlin::stablehlo {

std::string ElementwiseUse::program(const std::string &elementType) const {
  std::string type = "tensor<2x3x" + elementType + ">";
  std::string arguments = "%arg0: " + type, values = "%arg0", types = type;
  if (operands == 2) {
    arguments += ", %arg1: " + type;
    values += ", %arg1";
  }
  if (operation.starts_with("chlo.")) {
    types = (operands == 2 ? type + ", " + type : type) + " -> " + type;
  }
  return "module {\n  func.func @main(" + arguments + ") {\n    %0 = " + operation + " " + values +
         " : " + types + "\n    return\n  }\n}\n";
}

OwningOpRef<ModuleOp> parseProgram(MLIRContext &context, const std::string &text,
                                   std::string &error) {
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (error.empty()) {
      error = diagnostic.str();
    }
    return success();
  });
  return parseSourceString<ModuleOp>(text, ParserConfig(&context));
}

static bool isElementwise(RegisteredOperationName name) {
  return name.hasTrait<OpTrait::Elementwise>() && name.hasTrait<SameType>() &&
         llvm::all_of(name.getAttributeNames(),
                      [](StringAttr attribute) { return attribute == "result_accuracy"; });
}

std::vector<ElementwiseUse> elementwiseUses(MLIRContext &context) {
  static const char *const elementTypes[] = {
#define DRUMLIN_ELEMENT_TYPE(Name, text, ...) text,
#include "drumlin/support/ElementType.def"
  };
  std::vector<ElementwiseUse> uses;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (!isElementwise(name)) {
      continue;
    }
    ElementwiseUse use;
    use.operation = name.getStringRef().str();
    use.operands = name.hasTrait<OpTrait::OneOperand>() ? 1 : 2;
    for (const char *type : elementTypes) {
      std::string error;
      if (parseProgram(context, use.program(type), error)) {
        use.elementTypes.emplace_back(type);
      }
    }
    uses.push_back(use);
  }
  return uses;
}

} // namespace drumlin::stablehlo

// Uses of all elementwise operations in the loaded dialects whose operands and result have the same
// type and that need no attributes. Tests run for each of these operations.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace drumlin::stablehlo {

struct ElementwiseUse {
  std::string operation; // `stablehlo.negate`
  size_t operands = 1;
  std::vector<std::string> elementTypes; // types that the operation accepts

  std::string mnemonic() const { return operation.substr(operation.find('.') + 1); }
  // Returns the text of a function with only this operation, in the form in which it is printed.
  std::string program(const std::string &elementType) const;
};

std::vector<ElementwiseUse> elementwiseUses(mlir::MLIRContext &context);

// Parses a program. Returns null if it is invalid; `error` is then the first reported error.
mlir::OwningOpRef<mlir::ModuleOp> parseProgram(mlir::MLIRContext &context, const std::string &text,
                                               std::string &error);

} // namespace drumlin::stablehlo

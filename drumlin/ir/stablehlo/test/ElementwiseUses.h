// A use of each operation that computes an element from those at the same place, all of one type,
// and needs no attribute: what tests of every such operation take, found in the dialects that are
// loaded.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace drumlin::stablehlo {

struct ElementwiseUse {
  std::string operation; // `stablehlo.negate`
  size_t operands = 1;
  std::vector<std::string> elementTypes; // that the operation takes

  std::string mnemonic() const { return operation.substr(operation.find('.') + 1); }
  // A function of the operation alone, as it is printed.
  std::string program(const std::string &elementType) const;
};

std::vector<ElementwiseUse> elementwiseUses(mlir::MLIRContext &context);

// Null for a program that isn't valid; `error` is then the first that was reported.
mlir::OwningOpRef<mlir::ModuleOp> parseProgram(mlir::MLIRContext &context, const std::string &text,
                                               std::string &error);

} // namespace drumlin::stablehlo

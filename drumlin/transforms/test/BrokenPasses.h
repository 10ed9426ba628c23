// Passes that each break one contract.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string_view>
#include <vector>

namespace drumlin {

struct BrokenPass {
  const char *flag; // name of the pass, which says what the pass does wrong
  std::string_view contract;
  const char *program; // a program that satisfies the contract
  void (*breaks)(mlir::ModuleOp);
  const char *seen; // part of the expected message
};

const std::vector<BrokenPass> &brokenPasses();

} // namespace drumlin

// Passes that break a contract each.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string_view>
#include <vector>

namespace drumlin {

struct BrokenPass {
  const char *flag; // as a pass would be named; it says what goes wrong
  std::string_view contract;
  const char *program; // which keeps the contract
  void (*breaks)(mlir::ModuleOp);
  const char *seen; // part of the message
};

const std::vector<BrokenPass> &brokenPasses();

} // namespace drumlin

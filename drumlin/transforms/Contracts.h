// Pass contracts: what holds about the program from a pass on. They are code that runs between
// passes, so that a pass which breaks what a later one relies on is named where it happens, not
// where it hurts.
#pragma once

#include "drumlin/transforms/Violation.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <optional>
#include <string>
#include <vector>

namespace drumlin {

struct Contract {
  std::string_view name;
  std::string_view statement;
  std::string_view guaranteedBy; // the flag of the pass from which on it holds
  std::optional<Violation> (*check)(mlir::ModuleOp);
};

// All contracts, in the order in which they come to hold.
const std::vector<Contract> &allContracts();
const Contract *findContract(std::string_view name);

// A pass that checks the named contracts and fails, naming the contract and the pass `after` which
// it ran.
std::unique_ptr<mlir::Pass> createContractCheck(std::vector<const Contract *> contracts,
                                                std::string after);

} // namespace drumlin

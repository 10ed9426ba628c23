// Pass contracts: properties that the program has after a given pass. They are checked by code that
// runs between passes, so that an error names the pass that broke a property instead of the later
// pass that relies on it.
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
  std::string_view guaranteedBy; // command-line name of the pass that establishes the contract
  std::optional<Violation> (*check)(mlir::ModuleOp);
};

// Returns all contracts, in the order in which passes establish them.
const std::vector<Contract> &allContracts();
const Contract *findContract(std::string_view name);

// Creates a pass that checks the given contracts. It fails with the name of the broken contract and
// of `after`, the pass that ran before it.
std::unique_ptr<mlir::Pass> createContractCheck(std::vector<const Contract *> contracts,
                                                std::string after);

} // namespace drumlin

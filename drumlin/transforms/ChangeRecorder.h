// Checks that every change a pass makes is accounted for: an operation that a pass creates, erases
// or moves to another region must have a ledger entry from that pass. If the pass is a counting
// rule (Rules.def), this class adds the entry. Operations are identified by name, location and
// types, never by address, since addresses of erased operations are reused. An operation that
// replaces another with equal name, location and types counts as the same operation.
#pragma once

#include "drumlin/transforms/Ledger.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <string>
#include <tuple>
#include <vector>

namespace drumlin {

class ChangeRecorder : public mlir::PassInstrumentation {
public:
  // Adds each change without a ledger entry to `unanswered`, in the form
  // `cse: stablehlo.add at model.py:7:3`.
  ChangeRecorder(Ledger &ledger, std::vector<std::string> &unanswered)
      : ledger(ledger), unanswered(unanswered) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;

private:
  struct Seen {
    mlir::OperationName name;
    mlir::Location loc;
    llvm::hash_code types; // hash of the types of operands and results
    size_t parent;         // the parent's index in the list of all operations
    unsigned region;       // index of the region in the parent
  };
  // Identifies an operation: its own name, location and types, and its parent's name and location.
  using Identity =
      std::tuple<const void *, const void *, size_t, const void *, const void *, unsigned>;

  static std::vector<Seen> see(mlir::Operation *root);
  static Identity identityOf(const std::vector<Seen> &all, const Seen &seen);
  void answer(mlir::Pass *pass, const Seen &changed);

  Ledger &ledger;
  std::vector<std::string> &unanswered;
  std::vector<Seen> before; // outer operations before inner ones
};

} // namespace drumlin

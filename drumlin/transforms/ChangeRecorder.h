// What passes change, seen from where all of them run: an operation that a pass creates, erases or
// moves to another region has an entry in the ledger of what that pass decided about it; or the
// pass is a rule that counts (Rules.def), and gets one here. Operations are told apart by what they
// are and where they stand, never by their addresses, which erased ones leave to others: one that
// takes the place of another of its name, location and types is the same one.
#pragma once

#include "drumlin/transforms/Ledger.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <string>
#include <tuple>
#include <vector>

namespace drumlin {

class ChangeRecorder : public mlir::PassInstrumentation {
public:
  // Changes without an entry are added to `unanswered`, as `cse: stablehlo.add at model.py:7:3`.
  ChangeRecorder(Ledger &ledger, std::vector<std::string> &unanswered)
      : ledger(ledger), unanswered(unanswered) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;

private:
  struct Seen {
    mlir::OperationName name;
    mlir::Location loc;
    llvm::hash_code types; // of operands and results
    size_t parent;         // its place in the list of all operations seen
    unsigned region;       // of the parent
  };
  // What tells an operation from others: its own name, location and types, and its parent's name
  // and location.
  using Identity =
      std::tuple<const void *, const void *, size_t, const void *, const void *, unsigned>;

  static std::vector<Seen> see(mlir::Operation *root);
  static Identity identityOf(const std::vector<Seen> &all, const Seen &seen);
  void answer(mlir::Pass *pass, const Seen &changed);

  Ledger &ledger;
  std::vector<std::string> &unanswered;
  std::vector<Seen> before; // outer operations first
};

} // namespace drumlin

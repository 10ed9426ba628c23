// What passes change, seen from where all of them run: an operation that a pass creates, erases or
// moves to another block has an entry in the ledger of what that pass decided about it; or the pass
// is a rule that counts (Rules.def), and gets one here.
#pragma once

#include "drumlin/transforms/Ledger.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <string>
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
  // An operation as it was before a pass.
  struct Seen {
    mlir::OperationName name;
    mlir::Location loc;
    mlir::Block *block;
    mlir::Operation *parent;

    static Seen of(mlir::Operation *op);
    bool operator==(const Seen &) const = default;
  };

  void answer(mlir::Pass *pass, const Seen &changed);

  Ledger &ledger;
  std::vector<std::string> &unanswered;
  std::vector<std::pair<mlir::Operation *, Seen>> before; // outer operations first
};

} // namespace drumlin

// The simplify phase: rewrites StableHLO as StableHLO that never needs more operations or bytes.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace drumlin {

struct AutoCast;

// Attribute on an operation: the program's name for the size that it computes.
inline constexpr llvm::StringLiteral sizeNameAttribute = "plan.size_name";

#define GEN_PASS_DECL
#include "drumlin/transforms/simplify/Passes.h.inc"

// Records decisions in the ledger, which must outlive the pass. Fails, with the reason in
// `failure`, if inlining calls would give a program of more than `maxOperations` operations.
std::unique_ptr<mlir::Pass> createInlineCallsPass(Ledger &ledger, int64_t maxOperations,
                                                  std::optional<Diagnostic> &failure);
std::unique_ptr<mlir::Pass> createAutoCastPass(Ledger &ledger, AutoCast cast,
                                               bool marksRoundings = false);
// If the pass fails, `failure` gets the reason.
std::unique_ptr<mlir::Pass> createDecomposeOperationsPass(std::optional<Diagnostic> &failure);
std::unique_ptr<mlir::Pass> createFoldConstantsPass(Ledger &ledger);
std::unique_ptr<mlir::Pass> createLowerQuantizedPass(Ledger &ledger);
// If the pass fails, `failure` gets the reason.
std::unique_ptr<mlir::Pass> createSimplifyDynamicsPass(std::optional<Diagnostic> &failure);
// `sizes`: as in the pass's option of this name. If the pass fails, `failure` gets the reason.
std::unique_ptr<mlir::Pass> createResolveSizesPass(std::vector<std::string> sizes,
                                                   std::optional<Diagnostic> &failure);
std::unique_ptr<mlir::Pass> createSimplifyDotsPass(Ledger &ledger);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/simplify/Passes.h.inc"

} // namespace drumlin

// Before all phases: what callers say about the arguments of the entry.
#pragma once

#include "drumlin/transforms/entry/Weights.h"
#include "mlir/Pass/Pass.h"

#include <optional>

namespace drumlin {

#define GEN_PASS_DECL
#include "drumlin/transforms/entry/Passes.h.inc"

// `failure` says why a pass failed: UnknownArgument, UnsupportedAttribute (neither true nor false)
// or StaticDonated; the codes of bindWeights(). It and `weights`, which gets the arrays, and
// `notes`, which gets what was left out, must outlive the passes. `arguments`: numbers (`3`),
// ranges of them
// (`0-290`), names (namesOfArgument()) and patterns of names (`params.*.w`).
std::unique_ptr<mlir::Pass> createMarkStaticPass(std::vector<std::string> arguments,
                                                 std::vector<Diagnostic> &notes,
                                                 std::optional<Diagnostic> &failure);
std::unique_ptr<mlir::Pass> createBindWeightsPass(std::string file, WeightPlace place,
                                                  std::vector<NamedTensor> &weights,
                                                  std::optional<Diagnostic> &failure);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/entry/Passes.h.inc"

} // namespace drumlin

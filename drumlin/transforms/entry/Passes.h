// Before all phases: what callers say about the arguments of the entry.
#pragma once

#include "drumlin/transforms/entry/Weights.h"
#include "mlir/Pass/Pass.h"

#include <optional>

namespace drumlin {

#define GEN_PASS_DECL
#include "drumlin/transforms/entry/Passes.h.inc"

// `failure` says why a pass failed: UnknownArgument, UnsupportedAttribute (neither true nor false)
// or StaticDonated; the codes of bindWeights(). It and `weights`, which gets the arrays, must
// outlive the passes.
std::unique_ptr<mlir::Pass> createMarkStaticPass(std::vector<int64_t> arguments,
                                                 std::optional<Diagnostic> &failure);
std::unique_ptr<mlir::Pass> createBindWeightsPass(std::string file, WeightPlace place,
                                                  std::vector<NamedTensor> &weights,
                                                  std::optional<Diagnostic> &failure);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/entry/Passes.h.inc"

} // namespace drumlin

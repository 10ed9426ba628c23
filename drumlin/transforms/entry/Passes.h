// Passes that run before all phases: apply the caller's options for the entry's arguments.
#pragma once

#include "drumlin/transforms/entry/Weights.h"
#include "mlir/Pass/Pass.h"

#include <optional>

namespace drumlin {

#define GEN_PASS_DECL
#include "drumlin/transforms/entry/Passes.h.inc"

// Parameters of both passes; `notes`, `weights` and `failure` must outlive the pass:
//   arguments: numbers (`3`), ranges of numbers (`0-290`), names (namesOfArgument()) or name
//              patterns (`params.*.w`)
//   notes:     receives a diagnostic for each argument that was left out
//   weights:   receives the arrays
//   failure:   receives the error if the pass fails: UnknownArgument, UnsupportedAttribute (a value
//              that is neither true nor false), StaticDonated, or an error of bindWeights()
std::unique_ptr<mlir::Pass> createMarkStaticPass(std::vector<std::string> arguments,
                                                 std::vector<Diagnostic> &notes,
                                                 std::optional<Diagnostic> &failure);
std::unique_ptr<mlir::Pass> createBindWeightsPass(std::string file, WeightPlace place,
                                                  std::vector<NamedTensor> &weights,
                                                  std::optional<Diagnostic> &failure);

#define GEN_PASS_REGISTRATION
#include "drumlin/transforms/entry/Passes.h.inc"

} // namespace drumlin

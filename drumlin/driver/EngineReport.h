// What a program becomes and costs on a tensor engine: the report of `drumlin cost --target trn1`,
// its decisions, and its plan lock.
#pragma once

#include "drumlin/driver/EngineVerdicts.h"
#include "drumlin/driver/Phases.h"
#include "drumlin/driver/PlanLock.h"
#include "drumlin/engines/EngineCost.h"
#include "drumlin/support/Diagnostics.h"

#include <string>
#include <vector>

namespace drumlin {

struct EnginePlan {
  EngineCost cost;
  PhaseResult phases;
};

// Simplifies the module as the compiler does (or, for layouts as written, only inlines its calls),
// and counts. The ledger says of each operand of a product whether and why it is transposed. Fails
// as phases do; with RequirementUnmet and RequirementUnused as plans of CPUs do; and with
// RequirementInvalid for a clause about kernels, which a plan of an engine doesn't have.
Result<EnginePlan> planOnEngine(mlir::ModuleOp module, const TensorEngine &engine,
                                const CompileOptions &options, const EngineOptions &engineOptions);

// `notes`: what the vendor's published documents say of the program's operations.
std::string engineText(const EngineCost &cost, const TensorEngine &engine,
                       const EngineOptions &options, const EngineNotes &notes);
std::string engineJson(const EngineCost &cost, const TensorEngine &engine,
                       const EngineOptions &options, const EngineNotes &notes);

// Returns the FLOPs of all calls: "model 16.78M, hardware 2.17G, transposes 2.15G, 8 calls".
std::string flopsText(const EngineOperation &operation);
// Says of each operand that isn't multiplied as it is made why it is transposed, or isn't.
std::vector<std::string> operandTexts(const EngineOperation &operation);

// A kernel `product` for each dot and convolution, with a part `lhs_fits` or `rhs_fits` for each
// operand that isn't transposed at each call, and a kernel `transpose` for each other value that
// is.
PlanLock makeEngineLock(const EnginePlan &plan, const std::string &program,
                        const TensorEngine &engine);

} // namespace drumlin

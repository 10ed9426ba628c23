// Reports how a program maps to a tensor engine: the report of `drumlin cost --target trn1`, its
// decisions and its plan lock.
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

// Simplifies the module as the compiler does, and counts costs. If the options keep layouts as
// written, the module's calls are inlined, but nothing else is simplified. The ledger records for
// each operand of a dot or convolution whether and why the operand is transposed. Fails like
// runPhases(), and with RequirementUnmet and RequirementUnused like CPU plans. Fails with
// RequirementInvalid for requirements about kernels, since an engine's plan has no kernels.
Result<EnginePlan> planOnEngine(mlir::ModuleOp module, const TensorEngine &engine,
                                const CompileOptions &options, const EngineOptions &engineOptions);

// Returns the report as text or JSON. `notes`: the statements of the vendor's published documents
// on the program's operations.
std::string engineText(const EngineCost &cost, const TensorEngine &engine,
                       const EngineOptions &options, const EngineNotes &notes);
std::string engineJson(const EngineCost &cost, const TensorEngine &engine,
                       const EngineOptions &options, const EngineNotes &notes);

// Returns the FLOPs of all calls of an operation: "model 16.78M, hardware 2.17G, transposes 2.15G,
// 8 calls".
std::string flopsText(const EngineOperation &operation);
// Returns, for each operand that isn't used in its stored order, why it is or isn't transposed.
std::vector<std::string> operandTexts(const EngineOperation &operation);

// Makes the lock of an engine's plan. Each dot or convolution is listed as a kernel `product`, with
// a part `lhs_fits` or `rhs_fits` for each operand that isn't transposed at each call. Each
// transposed value that isn't an operand of a dot or convolution is listed as a kernel `transpose`.
PlanLock makeEngineLock(const EnginePlan &plan, const std::string &program,
                        const TensorEngine &engine);

} // namespace drumlin

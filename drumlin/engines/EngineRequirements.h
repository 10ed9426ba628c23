// Checks a tensor-engine plan against its user's requirements.
#pragma once

#include "drumlin/engines/EngineCost.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/transforms/requirements/Requirement.h"

#include <span>

namespace drumlin {

// Checks the requirements. `no_transpose` is met if no operand of the matching dots and
// convolutions is transposed at each call; for the program as a whole, if no value is transposed at
// each call. `dtype` is checked on operand and result types. All other clauses concern kernels and
// their memory, and fail with RequirementInvalid. `operations` are the program's operations before
// any phase.
Status checkEngineRequirements(std::span<const Requirement> requirements, const EngineCost &cost,
                               std::span<const plan::ProgramOperation> operations);

} // namespace drumlin

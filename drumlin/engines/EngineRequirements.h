// Whether a plan for a tensor engine keeps what its user requires.
#pragma once

#include "drumlin/engines/EngineCost.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/transforms/requirements/Requirement.h"

#include <span>

namespace drumlin {

// `no_transpose` is met where no operand of the products that match is transposed at each call, of
// the program: where nothing is; `dtype` by what products multiply and make. RequirementInvalid for
// every other clause: they are about kernels and their memory. `operations` are those of the
// program before any phase.
Status checkEngineRequirements(std::span<const Requirement> requirements, const EngineCost &cost,
                               std::span<const plan::ProgramOperation> operations);

} // namespace drumlin

// Constants as HLO writes them: lists in one another down to numbers.
#pragma once

#include "drumlin/import/hlo/Emitter.h"
#include "drumlin/support/Tensor.h"

namespace drumlin::hlo {

// The literal of the emitter's instruction, one tensor for each array of its shape. Reports
// literals that don't fit the shape, and those that the printer left out; empty then.
std::vector<Tensor> readLiteral(Emitter &emitter);

} // namespace drumlin::hlo

// Reads HLO's constants: nested lists of numbers.
#pragma once

#include "drumlin/import/hlo/Emitter.h"
#include "drumlin/support/Tensor.h"

namespace drumlin::hlo {

// Reads the literal of the emitter's instruction, one tensor for each array of its shape. Returns
// an empty list after reporting a literal that doesn't match the shape or is partly elided.
std::vector<Tensor> readLiteral(Emitter &emitter);

} // namespace drumlin::hlo

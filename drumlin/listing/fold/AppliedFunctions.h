// Describes the scalar functions that reductions, scatters and sorts apply.
#pragma once

#include "drumlin/listing/Listing.h"

#include <string>
#include <unordered_map>

namespace drumlin::listing {

// Returns the operation, such as `add` or `compare(LT)`, of a computation that only applies one
// operation to its two parameters. The operation must have the parameters in order, unless it is
// commutative. Returns an empty text for other computations.
std::string operationOf(const Computation &computation);

// Returns texts that replace function names, for the functions that only reductions, scatters and
// sorts use. The text is the function's single operation, or the name of an earlier function with
// the same body.
std::unordered_map<const Computation *, std::string> namesOfApplied(const Module &module);

// Whether an HLO attribute names a function that is applied to elements.
bool namesApplied(const Instruction &instruction, const Attribute &attribute);

} // namespace drumlin::listing

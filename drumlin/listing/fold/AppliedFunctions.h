// Describes the scalar functions that reductions, scatters and sorts apply.
#pragma once

#include "drumlin/listing/Listing.h"

#include <string>
#include <unordered_map>

namespace drumlin::listing {

// Returns the operation, such as `add` or `compare(LT)`, if a computation only applies one to its
// two parameters, in their order unless it is commutative; else an empty text.
std::string operationOf(const Computation &computation);

// Returns the texts that replace the names of functions that are only used by such operations: a
// function's single operation, or the name of an earlier function with the same body.
std::unordered_map<const Computation *, std::string> namesOfApplied(const Module &module);

// Whether an HLO attribute names a function that is applied to elements.
bool namesApplied(const Instruction &instruction, const Attribute &attribute);

} // namespace drumlin::listing

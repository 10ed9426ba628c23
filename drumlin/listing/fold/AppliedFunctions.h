// Functions of single elements that reductions, scatters and sorts apply.
#pragma once

#include "drumlin/listing/Listing.h"

#include <string>
#include <unordered_map>

namespace drumlin::listing {

// Returns the one operation of a computation's two parameters: `add`, `compare(LT)`; empty if it
// does anything else, or takes them in another order.
std::string operationOf(const Computation &computation);

// Returns what is printed for each function that only such operations name: its one operation or,
// for one that equals an earlier one, that one's name.
std::unordered_map<const Computation *, std::string> namesOfApplied(const Module &module);

// Whether an attribute of HLO names a function that is applied to elements.
bool namesApplied(const Instruction &instruction, const Attribute &attribute);

} // namespace drumlin::listing

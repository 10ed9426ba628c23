// Functions of single elements that reductions, scatters and sorts apply.
#pragma once

#include "drumlin/listing/Listing.h"

#include <string>
#include <unordered_map>

namespace drumlin::listing {

// The one operation of a computation's two parameters: `add`, `compare(LT)`; empty where it does
// anything else, or not in their order.
std::string operationOf(const Computation &computation);

// What is printed for each function that only such operations name: its one operation, or, of equal
// ones, the first; that one isn't among them.
std::unordered_map<const Computation *, std::string> namesOfApplied(const Module &module);

// Whether an attribute of HLO names a function that is applied to elements.
bool namesApplied(const Instruction &instruction, const Attribute &attribute);

} // namespace drumlin::listing

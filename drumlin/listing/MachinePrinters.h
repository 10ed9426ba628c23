// Listings for programs: JSON, and graphs for Graphviz.
#pragma once

#include "drumlin/listing/Listing.h"
#include "drumlin/listing/Selection.h"

namespace drumlin::listing {

// The module with its computations and their instructions: names as the program has them, types as
// text and in parts, operands and users by name, attributes as text, backend configurations as JSON
// where they are.
std::string jsonOf(const Module &module, const Selection &selection = {});

// A graph of one computation, in the DOT language: an edge from each operand to its user.
std::string graphvizOf(const Computation &computation, const Selection &selection = {});

} // namespace drumlin::listing

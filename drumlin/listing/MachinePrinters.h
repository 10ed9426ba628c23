// Prints listings in formats for other programs: JSON and Graphviz.
#pragma once

#include "drumlin/listing/Listing.h"
#include "drumlin/listing/Selection.h"

namespace drumlin::listing {

// Returns a module with its computations and instructions as JSON: the program's names, types as
// text and as data, operands and users by name, attributes as text, and backend configurations as
// JSON if they are JSON.
std::string jsonOf(const Module &module, const Selection &selection = {});

// Returns a computation's graph in the DOT language, with an edge from each operand to its user.
std::string graphvizOf(const Computation &computation, const Selection &selection = {});

} // namespace drumlin::listing

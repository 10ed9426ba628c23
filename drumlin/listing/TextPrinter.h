// Prints listings as text for human readers.
#pragma once

#include "drumlin/listing/Listing.h"
#include "drumlin/listing/Selection.h"

namespace drumlin::listing {

struct TextOptions {
  bool metadata = false; // print metadata inline instead of a table of sources
  bool colours = false;  // use terminal colours
};

std::string textOf(const Module &module, const Selection &selection = {},
                   const TextOptions &options = {});

// Returns an operand's name, such as `%add.1` or `%5#1`.
std::string nameOf(const Operand &operand);

} // namespace drumlin::listing

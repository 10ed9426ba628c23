// Listings as text for people.
#pragma once

#include "drumlin/listing/Listing.h"
#include "drumlin/listing/Selection.h"

namespace drumlin::listing {

struct TextOptions {
  bool metadata = false; // inline, instead of the table of sources
  bool colours = false;  // as terminals show them
};

std::string textOf(const Module &module, const Selection &selection = {},
                   const TextOptions &options = {});

// `%add.1`, `%5#1`
std::string nameOf(const Operand &operand);

} // namespace drumlin::listing

// Converts HLO modules to listings.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/listing/Listing.h"

namespace drumlin::listing {

struct HloListingOptions {
  bool shortNames = true;
};

Module listHlo(hlo::Module module, const HloListingOptions &options = {});

// Returns a literal's text; if it is long, its first elements, count, minimum and maximum.
std::string literalText(const hlo::Value &literal);

} // namespace drumlin::listing

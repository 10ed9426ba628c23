// Listings as a page for browsers.
#pragma once

#include "drumlin/listing/Listing.h"

namespace drumlin::listing {

// One page that needs nothing else: the program as JSON, a style and a script. With `against`, the
// page shows both programs side by side, and how they differ.
std::string htmlOf(const Module &module, const Module *against = nullptr);

} // namespace drumlin::listing

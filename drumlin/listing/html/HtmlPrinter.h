// Prints listings as an HTML page.
#pragma once

#include "drumlin/listing/Listing.h"

namespace drumlin::listing {

// Returns a self-contained page: the program as JSON, a style and a script. With `against`, the
// page shows both programs side by side and their differences.
std::string htmlOf(const Module &module, const Module *against = nullptr);

} // namespace drumlin::listing

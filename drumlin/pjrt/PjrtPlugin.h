// Drumlin as a plugin for frameworks, through the PJRT C API.
#pragma once

#include "drumlin/pjrt/interface/Interface.h"

namespace drumlin::pjrt {

// Returns the table of functions, which lives as long as the process; the exported `GetPjrtApi`
// returns it.
const Api *api();

} // namespace drumlin::pjrt

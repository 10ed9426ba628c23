// Drumlin as a plugin of frameworks, by the PJRT C API.
#pragma once

#include "drumlin/pjrt/interface/Interface.h"

namespace drumlin::pjrt {

// The table of its functions, which lives as long as the process: what the exported `GetPjrtApi`
// gives.
const Api *api();

} // namespace drumlin::pjrt

// Checks the attribute `sharding` of instructions, which doesn't affect the computed values.
#pragma once

#include "drumlin/import/hlo/Emitter.h"

namespace drumlin::hlo {

// Reports an error for an instruction whose sharding has a number of devices that differs from the
// number of tiles.
void checkShardings(Conversion &conversion);

} // namespace drumlin::hlo

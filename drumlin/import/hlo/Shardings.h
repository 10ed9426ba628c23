// Checks the attribute `sharding` of instructions, which doesn't affect the computed values.
#pragma once

#include "drumlin/import/hlo/Emitter.h"

namespace drumlin::hlo {

// Reports an instruction of the module whose sharding has a different number of devices and tiles.
void checkShardings(Conversion &conversion);

} // namespace drumlin::hlo

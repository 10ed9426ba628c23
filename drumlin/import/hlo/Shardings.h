// The attribute `sharding` of instructions, which changes nothing that is computed.
#pragma once

#include "drumlin/import/hlo/Emitter.h"

namespace drumlin::hlo {

// Reports a sharding whose devices aren't as many as its tiles, of any instruction of the module.
void checkShardings(Conversion &conversion);

} // namespace drumlin::hlo

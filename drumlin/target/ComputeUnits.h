// Enumerators of ComputeUnits.def. Separate from ComputeUnit.h, so that a new enumerator rebuilds
// only the files that name enumerators.
#pragma once

#include <cstdint>

namespace drumlin {

enum class ComputeUnit : uint8_t {
#define COMPUTE_UNIT(name, feature, operands, sums, kGroup, rows, kGroups, isExact, speed, limit,  \
                     share)                                                                        \
  name,
#include "drumlin/target/ComputeUnits.def"
};

} // namespace drumlin

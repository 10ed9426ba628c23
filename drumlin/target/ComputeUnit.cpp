#include "drumlin/target/ComputeUnit.h"

#include "drumlin/target/ComputeUnits.h"

#include <algorithm>

namespace drumlin {

// The type names that ComputeUnits.def uses. Any: the unit works for every type.
namespace types {
using enum ElementType;
static constexpr std::optional<ElementType> Any = std::nullopt;
} // namespace types

static constexpr ComputeUnitInfo table[] = {
#define COMPUTE_UNIT(name, feature, operands, sums, kGroup, rows, kGroups, isExact, speed, limit,  \
                     share)                                                                        \
  {ComputeUnit::name, #name,   feature, types::operands, types::sums, kGroup, rows,                \
   kGroups,           isExact, speed},
#include "drumlin/target/ComputeUnits.def"
};

std::span<const ComputeUnitInfo> computeUnits() { return table; }

const ComputeUnitInfo &info(ComputeUnit unit) { return table[static_cast<size_t>(unit)]; }

const ComputeUnitInfo *findComputeUnit(std::string_view name) {
  const auto *found = std::find_if(std::begin(table), std::end(table),
                                   [&](const ComputeUnitInfo &each) { return each.name == name; });
  return found == std::end(table) ? nullptr : found;
}

} // namespace drumlin

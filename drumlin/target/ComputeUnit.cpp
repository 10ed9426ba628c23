#include "drumlin/target/ComputeUnit.h"

#include <algorithm>

namespace drumlin {

// Words of the table's columns.
namespace types {
using enum ElementType;
static constexpr std::optional<ElementType> Any = std::nullopt;
} // namespace types

static constexpr ComputeUnitInfo units[] = {
#define COMPUTE_UNIT(name, feature, operands, sums, terms, isExact, limit, share)                  \
  {ComputeUnit::name, #name, feature, types::operands, types::sums, terms, isExact},
#include "drumlin/target/ComputeUnits.def"
};

std::span<const ComputeUnitInfo> computeUnits() { return units; }

const ComputeUnitInfo &info(ComputeUnit unit) { return units[static_cast<size_t>(unit)]; }

const ComputeUnitInfo *findComputeUnit(std::string_view name) {
  const auto *found = std::find_if(std::begin(units), std::end(units),
                                   [&](const ComputeUnitInfo &each) { return each.name == name; });
  return found == std::end(units) ? nullptr : found;
}

} // namespace drumlin

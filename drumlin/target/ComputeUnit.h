// What multiplies and adds in kernels: one row of ComputeUnits.def and one micro-kernel each.
#pragma once

#include "drumlin/support/ElementType.h"
#include "drumlin/target/Numerics.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace drumlin {

enum class ComputeUnit : uint8_t {
#define COMPUTE_UNIT(name, feature, operands, sums, kGroup, rows, kGroups, isExact, speed, limit,  \
                     share)                                                                        \
  name,
#include "drumlin/target/ComputeUnits.def"
};

struct ComputeUnitInfo {
  ComputeUnit unit;
  std::string_view name;
  std::string_view feature;                  // of a processor, as LLVM names it; empty: all have it
  std::optional<ElementType> operands, sums; // nothing: any, in the type of the sums
  int64_t kGroup;                            // neighbouring elements of k in one of its elements
  int64_t rows, kGroups;                     // of one instruction
  bool isExact; // products and sums are those of single instructions in the type of the sums
  double speed; // operations for each of f32's multiply-adds

  // Multiplies tiles of the processor's own registers for them (AMX), not vectors.
  bool hasTiles() const { return rows > 1; }
  bool isAllowed(Numerics numerics) const {
    return isExact || numerics.allows(Relaxation::FlushProducts);
  }
};

std::span<const ComputeUnitInfo> computeUnits();
const ComputeUnitInfo &info(ComputeUnit unit);
const ComputeUnitInfo *findComputeUnit(std::string_view name);

} // namespace drumlin

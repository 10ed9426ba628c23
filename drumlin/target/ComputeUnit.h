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
  int64_t rows;                              // multiplied at a time
  int64_t kGroups;                           // such groups of one instruction
  bool isExact; // products and sums are those of single instructions in the type of the sums
  double speed; // operations for each of f32's multiply-adds

  // Multiplies tiles of the processor's own registers for them (AMX), not vectors.
  bool hasTiles() const { return rows > 2; }
  // Each vector holds two rows or columns by two groups, or 2 × 2 sums.
  bool multipliesPairs() const { return rows == 2; }
  // Multiplies integers of 8 bits that have to have a sign, or to be without one.
  bool mayMoveRows() const { return operands == ElementType::SI8 && !hasTiles(); }
  bool isAllowed(Numerics numerics) const {
    return isExact || numerics.allows(Relaxation::FlushProducts);
  }
};

std::span<const ComputeUnitInfo> computeUnits();
const ComputeUnitInfo &info(ComputeUnit unit);
const ComputeUnitInfo *findComputeUnit(std::string_view name);

} // namespace drumlin

// The compute units that execute kernels' MACs. Each has a row in ComputeUnits.def and a
// micro-kernel.
#pragma once

#include "drumlin/support/ElementType.h"
#include "drumlin/target/Numerics.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace drumlin {

// A row of ComputeUnits.def; the enumerators are in ComputeUnits.h. The first one is `fma`.
enum class ComputeUnit : uint8_t;

struct ComputeUnitInfo {
  ComputeUnit unit;
  std::string_view name;
  std::string_view feature;                  // required CPU feature, by LLVM's name; empty: none
  std::optional<ElementType> operands, sums; // nullopt: any type, equal to that of the sums
  int64_t kGroup;                            // consecutive k elements in one packed element
  int64_t rows;                              // rows that one instruction multiplies
  int64_t kGroups;                           // k-groups that one instruction multiplies
  bool isExact; // rounds like separate instructions in the type of the sums
  double speed; // operations per multiply-add of f32

  // Returns whether the unit multiplies tiles in separate tile registers (AMX), not vectors.
  bool hasTiles() const { return rows > 2; }
  // Returns whether a vector of operands holds two rows (or columns) by two k-groups, and a vector
  // of sums 2 × 2 sums.
  bool multipliesPairs() const { return rows == 2; }
  // Returns whether the unit fixes the signedness of its 8-bit operands, so that the rows' values
  // may need an offset.
  bool mayMoveRows() const { return operands == ElementType::SI8 && !hasTiles(); }
  bool isAllowed(Numerics numerics) const {
    return isExact || numerics.allows(Relaxation::FlushProducts);
  }
};

std::span<const ComputeUnitInfo> computeUnits();
const ComputeUnitInfo &info(ComputeUnit unit);
const ComputeUnitInfo *findComputeUnit(std::string_view name);

} // namespace drumlin

// The compute units that execute kernels' MACs. Each unit has a row in ComputeUnits.def and a
// micro-kernel.
#pragma once

#include "drumlin/support/ElementType.h"
#include "drumlin/target/Numerics.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace drumlin {

// A compute unit, by its row in ComputeUnits.def. The enumerators are in ComputeUnits.h; the first
// enumerator is `fma`.
enum class ComputeUnit : uint8_t;

struct ComputeUnitInfo {
  ComputeUnit unit;
  std::string_view name;
  std::string_view feature;                  // required CPU feature, by LLVM's name; empty: none
  std::optional<ElementType> operands, sums; // nullopt: any type, the same for both
  int64_t kGroup;                            // consecutive k elements in one packed element
  int64_t rows;                              // rows that one instruction multiplies
  int64_t kGroups;                           // k-groups that one instruction multiplies
  bool isExact; // rounds like one multiply-add at a time in the type of the sums
  double speed; // operations in the time of one f32 multiply-add

  // Returns whether the unit multiplies tiles in separate tile registers (AMX), not vectors.
  bool hasTiles() const { return rows > 2; }
  // Returns whether an operand's vector register holds two rows (or columns) by two k-groups. An
  // accumulator register then holds 2 × 2 sums.
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

// What is known of an index that a kernel computes for several lanes at a time, before any code is
// made: whether all lanes have one index, or neighbouring lanes neighbouring ones. Kernel selection
// and code generation ask the same functions.
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace drumlin {

// How many elements a kernel computes at a time, for every type: one 512-bit register of f32. A
// kernel may take several registers at once, which then is a multiple of this.
inline constexpr unsigned lanes = 16;

// base + lane * stride; or an index of its own in each lane.
struct LaneForm {
  bool varies = false; // each lane has an index of its own; then the rest means nothing
  int64_t stride = 0;
  int64_t alignment = 1; // the base is known to be a multiple of it

  bool isUniform() const { return !varies && stride == 0; }
  bool isContiguous() const { return !varies && stride == 1; }

  static LaneForm constant(int64_t value);
  static LaneForm varying() { return {true, 0, 1}; }
  bool operator==(const LaneForm &) const = default;
};

LaneForm sum(const LaneForm &a, const LaneForm &b);
LaneForm product(const LaneForm &a, int64_t c);

// How an index that isn't negative is divided by a constant, and what is left of it.
enum class LaneDivision {
  InBlock,  // no lane passes a multiple of the divisor: one quotient, remainders of the same stride
  Steps,    // the stride is a multiple of the divisor: one remainder, quotients that far apart
  EachLane, // each lane has a quotient and a remainder of its own
};
LaneDivision divisionOf(const LaneForm &a, int64_t c, unsigned width);
LaneForm quotient(const LaneForm &a, int64_t c, unsigned width);
LaneForm remainder(const LaneForm &a, int64_t c, unsigned width);

// Of an affine expression; symbols follow the dimensions. `eachLane` is called with every quotient
// and remainder that each lane has to compute by itself.
LaneForm laneForm(mlir::AffineExpr expression, llvm::ArrayRef<LaneForm> dims,
                  llvm::ArrayRef<LaneForm> symbols, unsigned width = lanes,
                  llvm::function_ref<void(mlir::AffineExpr)> eachLane = {});

} // namespace drumlin

// Static knowledge about an index that a kernel computes for several vector lanes at a time:
// whether all lanes have the same index, or neighbouring lanes have neighbouring indices. Kernel
// selection and code generation use the same functions.
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace drumlin {

// The form of the lanes' indices: base + lane * stride; base + a separate constant for each lane;
// or unrelated indices.
struct LaneForm {
  bool varies = false; // whether lanes have unrelated indices; if so, other fields are unused
  int64_t stride = 0;
  // The base is congruent to the residue modulo the alignment. If the alignment is 0, the base
  // equals the residue.
  int64_t alignment = 1;
  int64_t residue = 0; // may be negative only if the alignment is 0
  // Each lane's offset from the base if the offsets are not equally spaced, else empty.
  llvm::SmallVector<int64_t, 0> steps = {};

  bool isUniform() const { return !varies && steps.empty() && stride == 0; }
  bool isContiguous() const { return !varies && steps.empty() && stride == 1; }
  int64_t step(unsigned lane) const {
    return steps.empty() ? static_cast<int64_t>(lane) * stride : steps[lane];
  }

  static LaneForm constant(int64_t value);
  static LaneForm varying() { return {true, 0, 1, 0, {}}; }
  bool operator==(const LaneForm &) const = default;
};

// The range of elements that the lanes of a form read, relative to the base; both ends are
// inclusive. spanOf() returns a span only if loading the full range in registers of `width`
// elements takes fewer instructions than loading each lane's element.
struct LaneSpan {
  int64_t first = 0, last = 0;

  int64_t size() const { return last - first + 1; }
  int64_t registers(unsigned width) const { return (size() + width - 1) / width; }
};
std::optional<LaneSpan> spanOf(const LaneForm &form, llvm::ArrayRef<unsigned> lanes,
                               unsigned width);

LaneForm sum(const LaneForm &a, const LaneForm &b);
LaneForm product(const LaneForm &a, int64_t c);

// How the quotient and remainder of a nonnegative index by a constant depend on the lane.
enum class LaneDivision {
  InBlock,  // no lane passes a multiple of the divisor: equal quotients; remainders keep the stride
  Steps,    // the stride is a multiple of the divisor: equal remainders; equally spaced quotients
  Known,    // the base's quotient and remainder, plus a constant for each lane
  EachLane, // each lane has its own quotient and remainder
};
LaneDivision divisionOf(const LaneForm &a, int64_t c, unsigned width);
LaneForm quotient(const LaneForm &a, int64_t c, unsigned width);
LaneForm remainder(const LaneForm &a, int64_t c, unsigned width);

// Returns the form of an affine expression, given the forms of its dimensions and symbols. Calls
// `eachLane` with each quotient or remainder that every lane must compute separately.
LaneForm laneForm(mlir::AffineExpr expression, llvm::ArrayRef<LaneForm> dims,
                  llvm::ArrayRef<LaneForm> symbols, unsigned width,
                  llvm::function_ref<void(mlir::AffineExpr)> eachLane = {});

} // namespace drumlin

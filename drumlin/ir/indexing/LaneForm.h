// What is known of an index that a kernel computes for several lanes at a time, before any code is
// made: whether all lanes have one index, or neighbouring lanes neighbouring ones. Kernel selection
// and code generation ask the same functions.
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace drumlin {

// base + lane * stride; base + a constant of each lane; or an index of its own in each lane.
struct LaneForm {
  bool varies = false; // each lane has an index of its own; then the rest means nothing
  int64_t stride = 0;
  // The base is the residue and a multiple of the alignment; 0: it is the residue.
  int64_t alignment = 1;
  int64_t residue = 0; // not negative where the alignment isn't 0
  // What each lane adds to the base where that is no stride, else empty.
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

// The first and the last of the elements that lanes of a form read, counted from its base, where
// reading all between them, in registers of so many elements, takes fewer instructions than reading
// each; nothing where it doesn't.
struct LaneSpan {
  int64_t first = 0, last = 0;

  int64_t size() const { return last - first + 1; }
  int64_t registers(unsigned width) const { return (size() + width - 1) / width; }
};
std::optional<LaneSpan> spanOf(const LaneForm &form, llvm::ArrayRef<unsigned> lanes,
                               unsigned width);

LaneForm sum(const LaneForm &a, const LaneForm &b);
LaneForm product(const LaneForm &a, int64_t c);

// How an index that isn't negative is divided by a constant, and what is left of it.
enum class LaneDivision {
  InBlock,  // no lane passes a multiple of the divisor: one quotient, remainders of the same stride
  Steps,    // the stride is a multiple of the divisor: one remainder, quotients that far apart
  Known,    // the base's quotient and remainder, and a constant for each lane
  EachLane, // each lane has a quotient and a remainder of its own
};
LaneDivision divisionOf(const LaneForm &a, int64_t c, unsigned width);
LaneForm quotient(const LaneForm &a, int64_t c, unsigned width);
LaneForm remainder(const LaneForm &a, int64_t c, unsigned width);

// Of an affine expression; symbols follow the dimensions. `eachLane` is called with every quotient
// and remainder that each lane has to compute by itself.
LaneForm laneForm(mlir::AffineExpr expression, llvm::ArrayRef<LaneForm> dims,
                  llvm::ArrayRef<LaneForm> symbols, unsigned width,
                  llvm::function_ref<void(mlir::AffineExpr)> eachLane = {});

} // namespace drumlin

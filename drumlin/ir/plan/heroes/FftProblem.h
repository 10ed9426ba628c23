// The problem of a Fourier transform kernel: lines along the last dimension are transformed
// independently.
//
// Operations before and after the hero may reorder dimensions, so that lines need not run along the
// innermost dimension in memory. `isOperandAlong` and `isResultAlong` tell whether the lines of the
// operand and of the result are contiguous in memory.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/sizes/Size.h"
#include "drumlin/ir/stablehlo/FftOp.h"
#include "drumlin/support/ElementType.h"

#include <string>
#include <vector>

namespace drumlin {

struct FftProblem {
  stablehlo::FftOp op; // null: the region has no supported transform
  stablehlo::FftType kind = stablehlo::FftType::FFT;
  ElementType type = ElementType::F32; // type of real and imaginary parts
  std::vector<Size> outer;             // sizes of all dimensions but the last one
  int64_t lines = 1;                   // number of transformed lines
  int64_t columns = 1;                 // number of lines along the innermost outer dimension
  int64_t length = 1;                  // elements of a line; for real transforms, of the real line
  int64_t operandLength = 1, resultLength = 1;
  bool isOperandAlong = true, isResultAlong = true;

  explicit FftProblem(mlir::Block &region);

  // Whether the lines of operand and result are contiguous in memory, so that any lines can form a
  // block.
  bool isAnyLines() const { return isOperandAlong && isResultAlong; }
  // Returns the number of consecutive lines that are divided into blocks: all lines if
  // isAnyLines(), else the lines along the innermost outer dimension.
  Size blockColumns() const;
  bool isReal() const {
    return kind == stablehlo::FftType::RFFT || kind == stablehlo::FftType::IRFFT;
  }
  bool isInverse() const {
    return kind == stablehlo::FftType::IFFT || kind == stablehlo::FftType::IRFFT;
  }
  // Whether the transform is real and of even length. Such a transform treats pairs of elements as
  // the complex elements of a line of half the length.
  bool isHalved() const { return isReal() && length % 2 == 0; }
  // Returns the length of the complex line that the passes transform.
  int64_t passLength() const { return isHalved() ? length / 2 : length; }
};

// Largest prime factor that a pass may have. For lengths with larger prime factors, computing the
// transform as a convolution takes less time.
inline constexpr int64_t largestDirectFactor = 31;

// Returns the prime factors of a positive number in ascending order.
llvm::SmallVector<int64_t> primesOf(int64_t n);

// Returns the number of blocks that are divided among tasks. A block is a single line if lanes run
// along the line, else `width` lines.
Size blocksOf(plan::FftScheduleAttr schedule, const FftProblem &problem, int64_t width);

// Returns the number of neighbouring blocks that are copied to scratch memory and back together, if
// lines are strided in memory. If one block were copied alone, its contiguous rows would be smaller
// than a cache line or a page.
int64_t blocksCopiedTogether(plan::FftScheduleAttr schedule, const FftProblem &problem,
                             int64_t width);

// Returns why a schedule doesn't fit the problem; empty if it fits.
std::string findScheduleFault(plan::FftScheduleAttr schedule, const FftProblem &problem);

} // namespace drumlin

// A Fourier transform's problem: lines along the last dimension are transformed independently.
//
// What lies before and behind the hero may reorder dimensions, so that lines needn't lie in memory
// as they do in the hero's operand: `isOperandAlong` and `isResultAlong` say whether neighbours in
// memory are neighbours of a line.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/sizes/Size.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/support/ElementType.h"

#include <string>
#include <vector>

namespace drumlin {

struct FftProblem {
  stablehlo::FftOp op; // null: the region has none that can be computed
  stablehlo::FftType kind = stablehlo::FftType::FFT;
  ElementType type = ElementType::F32; // of real and imaginary parts
  std::vector<Size> outer;             // sizes of all dimensions but the last one
  int64_t lines = 1;                   // that are transformed
  int64_t columns = 1;                 // of them along the innermost of the other dimensions
  int64_t length = 1;                  // of a line: of the longer one, for real transforms
  int64_t operandLength = 1, resultLength = 1;
  bool isOperandAlong = true, isResultAlong = true;

  explicit FftProblem(mlir::Block &region);

  // Whether lines lie in memory one behind the other, so that any of them make a block.
  bool isAnyLines() const { return isOperandAlong && isResultAlong; }
  // That a block of lanes is cut from.
  Size blockColumns() const;
  bool isReal() const {
    return kind == stablehlo::FftType::RFFT || kind == stablehlo::FftType::IRFFT;
  }
  bool isInverse() const {
    return kind == stablehlo::FftType::IFFT || kind == stablehlo::FftType::IRFFT;
  }
  // Of an even number of real elements, pairs are the complex elements of a line half as long.
  bool isHalved() const { return isReal() && length % 2 == 0; }
  // Of the line of complex elements that passes transform.
  int64_t passLength() const { return isHalved() ? length / 2 : length; }
};

// Passes of larger prime factors than this would take longer than a convolution.
inline constexpr int64_t largestDirectFactor = 31;

// Prime factors of a number from 1 on, ascending.
llvm::SmallVector<int64_t> primesOf(int64_t n);

// Tasks of so many blocks each: lines one by one where lanes run along them, else as many as there
// are lanes.
Size blocksOf(plan::FftScheduleAttr schedule, const FftProblem &problem, int64_t width);

// How many neighbouring blocks of lines that lie across memory are copied to scratch memory and
// back together: a row of one block alone is less than what a page's translation, or memory, is
// asked for.
int64_t blocksCopiedTogether(plan::FftScheduleAttr schedule, const FftProblem &problem,
                             int64_t width);

// Why a schedule doesn't fit the problem; empty if it fits.
std::string findScheduleFault(plan::FftScheduleAttr schedule, const FftProblem &problem);

} // namespace drumlin

// How far the sums of a plan may lie from the exact ones because of the widths and the orders in
// which native code adds their terms: the proved worst case of each kernel's schedule, as a
// function of its sizes. Roundings of the terms themselves aren't counted, but for those of
// products.
#pragma once

#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>

namespace drumlin {

struct SumBound {
  // The most additions that round a sum on the way of one term, or of a product that is one; each
  // changes it by the unit roundoff of `type` times the sum of the terms' magnitudes, at most. What
  // joining sums of blocks leaves is counted along, as a share of one.
  double roundings = 0;
  ElementType type = ElementType::F32; // in which the terms are added
  int64_t terms = 0;                   // at nominal sizes

  // Of 2^-24 of the sum of the terms' magnitudes, at most; but for the rounding to a narrower
  // result.
  double units() const;
  // `1000 terms: within 21 × 2^-24 of the sum of their magnitudes`
  std::string str() const;
};

// Of an operation of a kernel's region, or of a region of such a form: a product, a reduction, a
// window, a scatter or a prefix scan that adds floating-point numbers. Nothing for any other
// operation, and in a kernel that has no schedule yet.
std::optional<SumBound> sumBoundOf(mlir::Operation *op);

// The bound of a reduction that traversals of so many lanes compute, beside those of one register;
// nothing for other operations. `isAlongTerms`: all of them have their lanes along reduced
// elements.
std::optional<SumBound> boundOfReduction(mlir::Operation *op, llvm::ArrayRef<int64_t> widths,
                                         bool isAlongTerms = false);

// The roundings of a product's sums under a schedule of its problem.
double roundingsOf(const GemmSchedule &schedule, const GemmProblem &problem);

} // namespace drumlin

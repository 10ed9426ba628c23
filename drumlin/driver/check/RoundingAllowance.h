// How far results may lie apart because native code rounds inside sums and functions where the
// interpreter doesn't: measured by interpreting once more with those values moved by as much as
// their rounding may, all up, all down, each element one of both, and each by a share of its own.
//
//   a sum of n products or terms    its schedule's bound (SumBound.h), and that of the
//   (dots, convolutions,            interpreter's own sum, n 2^-53, · sum of magnitudes; n half
//   reductions, scatters)           least numbers for products that underflow (Higham, "Accuracy
//                                   and Stability of Numerical Algorithms", 2.8). A sum that no
//                                   plan has a bound of: 2 sqrt(n) u, u the unit roundoff of the
//                                   type of accumulation (4.2: errors of random sign grow with the
//                                   root)
//   products that are flushed       what the result is without the subnormal operands, and n least
//   (`flush-products`)              normal numbers for the sums; an infinity times a subnormal
//                                   operand may be NaN
//   a dot whose scales may be factored out (`reassociate`)
//                                   the unit roundoff of the scaled operand's type · sum of
//                                   magnitudes, for the products with the scale that aren't rounded
//   a convolution of a dilated input  where an operand isn't finite: anything, since products with
//                                   the inserted zeros count or don't (docs/numerics.md)
//   a function of MathFunctions.def its stated largest error
//   a product that is added unrounded (`plan.fma`)
//                                   half a unit in the last place of the rounded product, and one
//                                   of the sum's
//
// and by one unit in the last place of the result's type at least. What follows them in the program
// then shows what becomes of that: where a difference of nearly equal sums magnifies it, say. A sum
// whose terms' magnitudes overflow together may be anything: some orders of its terms overflow on
// the way, others don't.
//
// Of complex numbers only Fourier transforms move: `run` interprets a program that has no other
// sums of them, as phase simplify leaves it, whose sums are those of the operations above.
#pragma once

#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/target/Numerics.h"

#include <functional>
#include <map>
#include <vector>

namespace drumlin {

// All values up, all down, and more such pairs in which each element moves its own way: few where
// what is wrong is known anyway, many where it decides. What follows a tangent of a large number is
// any number, and many tell how far these lie apart.
inline constexpr int fewRoundingEvaluations = 8, manyRoundingEvaluations = 32;

// The bounds that a plan has of the sums that each operation of the program became, by the
// operation's number: of a product that is cut into parts, say, those of the parts and of their
// sum.
using SumUnits = std::map<int64_t, double>;
SumUnits sumUnitsOf(mlir::ModuleOp plan);

// The largest change of each element of each result that any of the evaluations shows; twice that
// where changes don't follow the moves along a line, so that the evaluations are mere samples.
// `run` interprets with the table that it is given; `exact` is what it gives otherwise; `numerics`
// is what native code was allowed that the interpreted operations don't show; `planned` has the
// bounds of sums that aren't in kernels. Empty where an evaluation fails; infinity for an element
// that may be anything; results of other types than floating point have none.
std::vector<std::vector<double>>
roundingAllowances(const std::function<Result<std::vector<Tensor>>(const InterpreterTable &)> &run,
                   const std::vector<Tensor> &exact, const InterpreterTable &table,
                   Numerics numerics, int evaluations, const SumUnits &planned = {});

} // namespace drumlin

// Bounds how far results may differ because native code rounds inside sums and functions where the
// interpreter doesn't. Interprets the program again with those values moved by up to their rounding
// error: all up, all down, each element randomly up or down, and each by a random share.
//
//   a sum of n products or addends  its schedule's bound (SumBound.h), and that of the
//   (dots, convolutions,            interpreter's own sum, n 2^-53, · sum of magnitudes; n half
//   reductions, scatters)           least numbers for products that underflow (Higham, "Accuracy
//                                   and Stability of Numerical Algorithms", 2.8). Without a bound
//                                   from a plan: 2 sqrt(n) u, u the unit roundoff of the
//                                   type of accumulation (4.2: errors of random sign grow with the
//                                   root)
//   flushed subnormals              the change of the result without the subnormal operands, and n
//   (`flush-products`)              least normal numbers for the sums; an infinity times a
//                                   subnormal operand may be NaN
//   a dot whose scales may be factored out (`reassociate`)
//                                   the unit roundoff of the scaled operand's type · sum of
//                                   magnitudes, for the scaled operand that isn't rounded
//   a convolution of a dilated input  if an operand isn't finite: anything, since native code may
//                                   skip multiplications by the inserted zeros (docs/numerics.md)
//   a function of MathFunctions.def its stated largest error
//   a product that is added unrounded (`plan.fma`)
//                                   half a unit in the last place of the rounded product, and one
//                                   of the sum's
//
// and by at least one unit in the last place of the result's type. The program's later operations
// then show the effect: a difference of nearly equal sums magnifies it, for example. A sum whose
// addends' magnitudes together overflow may be anything: some orders of its addends overflow on
// the way, others don't.
//
// Among operations on complex numbers, only Fourier transforms move: `run` interprets a program
// after phase simplify, which has no other sums of complex numbers.
#pragma once

#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/target/Numerics.h"

#include <functional>
#include <map>
#include <vector>

namespace drumlin {

// The number of evaluations: all values up, all down, then pairs in which each element moves its
// own way. Few if the fault is known anyway, many if the result depends on them: the tangent of a
// large number, for example, may be any number, and many evaluations show its range.
inline constexpr int fewRoundingEvaluations = 8, manyRoundingEvaluations = 32;

// The plan's bounds of the sums that compute each of the program's operations, added up, by the
// operation's number: a split matrix product has the sums of its parts and the sum over the parts.
using SumUnits = std::map<int64_t, double>;
SumUnits sumUnitsOf(mlir::ModuleOp plan);

// Returns the largest change of each element of each result in any evaluation; twice that if
// changes aren't linear in the moves, so that the evaluations are only samples. `run` interprets
// the program with the given table; `exact` is its result with `table`; `numerics` has relaxations
// of native code that the interpreted operations don't show; `planned` has the bounds of sums that
// aren't in kernels. Empty if an evaluation fails; infinity for an element that may be anything; no
// entries for results that aren't floating-point.
std::vector<std::vector<double>>
roundingAllowances(const std::function<Result<std::vector<Tensor>>(const InterpreterTable &)> &run,
                   const std::vector<Tensor> &exact, const InterpreterTable &table,
                   Numerics numerics, int evaluations, const SumUnits &planned = {});

} // namespace drumlin

// Bounds how far results may differ because native code rounds inside sums and functions where the
// interpreter doesn't. Interprets the program several times, with the values of sums and functions
// moved by up to their rounding error: all values up, all values down, each element up or down at
// random, and each element by a random share of its error.
//
//   a sum of n products or addends  (its schedule's bound (SumBound.h) + n 2^-53 for the
//   (dots, convolutions,            interpreter's own sum) · sum of magnitudes; plus n/2 times
//   reductions, scatters)           the least number for products that underflow (Higham, "Accuracy
//                                   and Stability of Numerical Algorithms", 2.8). If no plan
//                                   gives a bound: 2 sqrt(n) u · sum of magnitudes, where u is the
//                                   unit roundoff of the accumulator's type (4.2: errors of random
//                                   sign grow with the square root of n)
//   flushed subnormals              the change of the result if subnormal operands are 0, and n
//   (`flush-products`)              times the least normal number for the sums; an infinity times
//                                   a subnormal operand may be NaN
//   a dot whose scales may be factored out (`reassociate`)
//                                   for each scaled operand, the unit roundoff of its type · sum
//                                   of magnitudes: only the interpreter rounds scaled operands
//   a convolution of a dilated input  if an operand isn't finite: anything, since native code may
//                                   skip multiplications by the inserted zeros (docs/numerics.md)
//   a function of MathFunctions.def its stated largest error
//   a product that is added unrounded (`plan.fma`)
//                                   half a unit in the last place of the rounded product, and one
//                                   unit in the last place of the sum
//
// Each value moves by at least one unit in the last place of its type. The program's later
// operations then show the effect: a difference of nearly equal sums magnifies it, for example. A
// sum may be anything if the sum of its addends' magnitudes overflows: partial sums then overflow
// in some orders of the addends and not in others.
//
// Among the results of operations on complex numbers, only those of Fourier transforms move: `run`
// interprets a program after phase simplify, and such a program has no other sums of complex
// numbers.
#pragma once

#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/target/Numerics.h"

#include <functional>
#include <map>
#include <vector>

namespace drumlin {

// The number of evaluations: all values up, all down, then pairs in which each element moves
// independently. Few evaluations are enough if the fault is already known. Many are made if the
// check's result depends on them: the tangent of a large number, for example, may be any number,
// and many evaluations show its range.
inline constexpr int fewRoundingEvaluations = 8, manyRoundingEvaluations = 32;

// For each operation number, the total of the plan's bounds of all sums that compute this
// operation. For example, several sums compute a split matrix product: the sums of its partial
// products, and the sum of these products.
using SumUnits = std::map<int64_t, double>;
SumUnits sumUnitsOf(mlir::ModuleOp plan);

// Returns, for each element of each result, the largest change in any evaluation. If the changes
// aren't linear in the moves, the evaluations are only samples, and twice the largest change is
// returned. The change is infinity for an element that may be any number. A result that isn't
// floating-point has no entries. Returns an empty list if an evaluation fails.
// `run` interprets the program with the given table. `exact`: the result of `run` with `table`.
// `numerics`: relaxations of native code that the interpreted operations don't show. `planned`: the
// bounds for sums outside of kernels, which have no schedules.
std::vector<std::vector<double>>
roundingAllowances(const std::function<Result<std::vector<Tensor>>(const InterpreterTable &)> &run,
                   const std::vector<Tensor> &exact, const InterpreterTable &table,
                   Numerics numerics, int evaluations, const SumUnits &planned = {});

} // namespace drumlin

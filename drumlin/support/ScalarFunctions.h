// Names of well-known functions of one variable, for libraries and listings.
#pragma once

#include "drumlin/support/ScalarExpression.h"

#include <string_view>

namespace drumlin {

// Returns `relu`, `gelu_tanh`, `gelu_erf`, `gelu_sigmoid` (x·logistic(1.702x)), `silu`, `tanh`,
// `logistic`, `exp`, `square`, or the name of a derivative (`relu_grad`). Empty for any other
// function, even if it differs from one of these only at one point, or by slightly more than the
// rounding of its type's constants.
std::string_view nameOfActivation(const ScalarExpression &function);

// Returns the name of the activation whose derivative times y is this function; empty for any other
// function.
std::string_view nameOfGradient(const ScalarExpression &function);

// Returns an activation's name, `identity`, or `clamp` (constant bounds, of which one may be
// missing).
std::string_view nameOfFunction(const ScalarExpression &function);

// Returns the activation nearest to a function, for messages. The name is empty if no activation is
// near: between -8 and 8, the difference from an activation's value v must be at most 0.1 *
// max(|v|, 1).
struct NearestFunction {
  std::string_view name;
  double place = 0, difference = 0; // the point of the largest difference, and the difference
};
NearestFunction nearestActivation(const ScalarExpression &function);

} // namespace drumlin

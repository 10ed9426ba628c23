// The functions of one variable that libraries and listings have names for.
#pragma once

#include "drumlin/support/ScalarExpression.h"

#include <string_view>

namespace drumlin {

// Returns `relu`, `gelu_tanh`, `gelu_erf`, `gelu_sigmoid` (x·logistic(1.702x)), `silu`, `tanh`,
// `logistic`, `exp`, `square`, or the name of a derivative (`relu_grad`). Empty for any other
// function: one that differs at one place, or by more than its type rounds constants by.
std::string_view nameOfActivation(const ScalarExpression &function);

// Returns the activation whose derivative, times y, the function is; empty for any other.
std::string_view nameOfGradient(const ScalarExpression &function);

// Returns an activation's name, `identity`, or `clamp` (constant bounds, one of which may be
// missing).
std::string_view nameOfFunction(const ScalarExpression &function);

// Returns the activation that is nearest to a function, for messages; an empty name if none is
// within a tenth of it between -8 and 8.
struct NearestFunction {
  std::string_view name;
  double place = 0, difference = 0; // where they differ most, and by how much
};
NearestFunction nearestActivation(const ScalarExpression &function);

} // namespace drumlin

// Determines the function that a chain of pointwise operations computes, in any equivalent form.
// Approximations of a function are not recognized.
#pragma once

#include "drumlin/support/ScalarExpression.h"
#include "mlir/IR/Value.h"

#include <string_view>

namespace drumlin {

// Returns the function that computes `to` from `from`, ignoring the program's roundings. Returns
// Unknown if `to` depends on anything besides `from` and splat constants, or on an operation that
// isn't pointwise arithmetic.
ScalarExpression functionBetween(mlir::Value from, mlir::Value to);

// Returns the function of two variables that computes `to` from `x` and `y`.
ScalarExpression functionBetween(mlir::Value x, mlir::Value y, mlir::Value to);

// Returns whether every element is known to be 0: the value is a constant 0, maybe broadcast or
// converted.
bool isZero(mlir::Value value);

// Returns the name of the one-variable function that computes `to` from `from`, as defined by
// nameOfFunction() of drumlin/support/ScalarFunctions.h.
std::string_view recognizeFunction(mlir::Value from, mlir::Value to);

} // namespace drumlin

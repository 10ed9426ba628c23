// Finds what a chain of pointwise operations computes by what is written: no spelling of an
// activation matters, and nothing that is only near one is taken for it.
#pragma once

#include "drumlin/support/ScalarExpression.h"
#include "mlir/IR/Value.h"

#include <string_view>

namespace drumlin {

// Returns the function that leads from one value to the other, without the program's roundings.
// Unknown where `to` depends on anything else than `from` and constants of one value, or on an
// operation that isn't pointwise arithmetic.
ScalarExpression functionBetween(mlir::Value from, mlir::Value to);

// Returns the same of two values: those of `y` are the second number.
ScalarExpression functionBetween(mlir::Value x, mlir::Value y, mlir::Value to);

// Whether every element is known to be 0: a constant, broadcast or converted.
bool isZero(mlir::Value value);

// Returns the name of the function of one variable that leads from one value to the other, as
// nameOfFunction() of drumlin/support/ScalarFunctions.h has it.
std::string_view recognizeFunction(mlir::Value from, mlir::Value to);

} // namespace drumlin

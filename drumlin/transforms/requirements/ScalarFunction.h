// What a chain of pointwise operations computes, found by value: the chain is evaluated at points
// and compared with known functions, so that no spelling of an activation matters.
#pragma once

#include "mlir/IR/Value.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace drumlin {

// The values that `to` takes where every element of `from` is one of the points, computed in f64
// without the program's roundings. Nothing where `to` depends on anything else than `from` and
// constants of one value, or on an operation that isn't pointwise.
std::optional<std::vector<double>> sampleFunction(mlir::Value from, mlir::Value to,
                                                  std::span<const double> points);

// The same of two values, whose elements are the first and the second numbers of the points.
std::optional<std::vector<double>>
sampleFunction(mlir::Value from, mlir::Value other, mlir::Value to,
               std::span<const std::pair<double, double>> points);

// The name of the function of one variable that leads from one value to the other, as
// nameOfFunction() of drumlin/support/ScalarFunctions.h has it.
std::string_view recognizeFunction(mlir::Value from, mlir::Value to);

} // namespace drumlin

// Functions of one variable that programs are made of, known by their values.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace drumlin {

// The values of a function at points; nothing where it can't be evaluated.
using FunctionSampler = std::function<std::optional<std::vector<double>>(std::span<const double>)>;

// `relu`, `gelu` (with erf, tanh, or x·logistic(1.702x)), `silu`, `tanh`, `logistic`, `exp`,
// `square`, and their derivatives as `relu_grad` and so on. Empty for any other function.
std::string_view nameOfActivation(const FunctionSampler &sample);

// These, `identity`, or `clamp` (constant bounds, either one of them may be missing).
std::string_view nameOfFunction(const FunctionSampler &sample);

} // namespace drumlin

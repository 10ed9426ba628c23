// Computations with named axes, whose values have no order of dimensions. A spelling of a
// computation is a program that computes it with a chosen order for each value. The tests have
// their own formulas for the cost of a computation on a tensor engine.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace drumlin::testing {

using Axes = std::vector<size_t>; // axis numbers

struct Step {
  enum Kind { Input, Unary, Binary, Scaled, Product } kind = Input;
  size_t lhs = 0, rhs = 0; // step numbers
  Axes axes;               // in the passed order if the step is an input; otherwise unordered
  Axes contracted;         // contracted axes of a product
  bool isStatic = false;   // whether an input is static
  bool isReturned = false;
  Axes returned; // axes of the returned value, in its order
};

struct Computation {
  std::vector<int64_t> extents; // sizes of the axes
  std::vector<Step> steps;
};

Computation randomComputation(std::mt19937_64 &random);

// The FLOPs of transposes, and the total hardware FLOPs, by the formulas of docs/costs.md.
struct Flops {
  int64_t transposes = 0, hardware = 0;
};

// A program for the computation, and its cost if every value in the program is stored row-major.
struct Spelling {
  std::string text;
  Flops asWritten;
};
Spelling spell(const Computation &computation, std::mt19937_64 &random);

// Tries all orders of the values one by one, and returns the lowest cost.
Flops leastFlops(const Computation &computation);

} // namespace drumlin::testing

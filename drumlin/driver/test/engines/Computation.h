// Computations with named axes but no order of dimensions. A computation's spellings are programs
// that compute it with different orders. The tests have their own formulas for the cost of a
// computation on a tensor engine.
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
  Axes axes;               // for an input, in the passed order; otherwise unordered
  Axes contracted;         // for a product
  bool isStatic = false;   // for an input
  bool isReturned = false;
  Axes returned; // in the returned order
};

struct Computation {
  std::vector<int64_t> extents; // sizes of the axes
  std::vector<Step> steps;
};

Computation randomComputation(std::mt19937_64 &random);

// FLOPs of transposes, and hardware FLOPs in total, by the formulas of docs/costs.md.
struct Flops {
  int64_t transposes = 0, hardware = 0;
};

// A program for the computation, and the program's cost if all of its values are row-major.
struct Spelling {
  std::string text;
  Flops asWritten;
};
Spelling spell(const Computation &computation, std::mt19937_64 &random);

// Returns the least cost over all orders of the values, tried one by one.
Flops leastFlops(const Computation &computation);

} // namespace drumlin::testing

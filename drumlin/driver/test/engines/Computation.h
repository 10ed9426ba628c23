// Computations with named axes, which no program's order of dimensions is part of; the spellings of
// one as programs; and what it costs on a tensor engine by formulas of the tests' own.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace drumlin::testing {

using Axes = std::vector<size_t>; // numbers of axes

struct Step {
  enum Kind { Input, Unary, Binary, Scaled, Product } kind = Input;
  size_t lhs = 0, rhs = 0; // numbers of steps
  Axes axes;               // of an input, as it is passed; of the others, in no order
  Axes contracted;         // of a product
  bool isStatic = false;   // of an input
  bool isReturned = false;
  Axes returned; // as it is returned
};

struct Computation {
  std::vector<int64_t> extents; // of the axes
  std::vector<Step> steps;
};

Computation randomComputation(std::mt19937_64 &random);

// FLOPs of transposes and of everything, by the sums of docs/costs.md.
struct Flops {
  int64_t transposes = 0, hardware = 0;
};

// One program for the computation, and what it costs with every value row-major.
struct Spelling {
  std::string text;
  Flops asWritten;
};
Spelling spell(const Computation &computation, std::mt19937_64 &random);

// The least over all ways in which values can lie, tried one by one.
Flops leastFlops(const Computation &computation);

} // namespace drumlin::testing

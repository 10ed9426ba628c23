// Compiles programs with dots and convolutions to native code and compares them with the
// interpreter.
#pragma once

#include "drumlin/support/Tensor.h"

#include <string>
#include <vector>

namespace drumlin {

// Returns random numbers that every type can represent: floats in -1 … 1, or integers of few
// digits.
Tensor randomTensor(ElementType type, const Shape &shape, uint64_t seed);

struct Checks {
  std::vector<std::string> targets = {"native"};
  double tolerance = 0;                 // tolerance of results; 0: default of the type
  std::vector<std::string> forced = {}; // algorithms to use, such as `dot=packed`
  std::vector<int64_t> statics = {};    // indices of static arguments
  std::vector<unsigned> threads = {2, 7, 1};
  // `count` is incremented for each plan whose text contains `said`.
  std::string said = "columns_in_panels";
  int *count = nullptr;
};

inline const Checks everyTarget = {{"native", "avx512", "avx2", "baseline"}};

// Compiles the program for each target, runs it with several thread counts, and compares its
// results with the interpreter's.
void check(const std::string &text, const Checks &checks = {});

// Returns `tensor<2x3xf32>`.
std::string tensorType(const std::vector<int64_t> &shape, const std::string &element);

// Returns a program of one function, whose arguments are `%arg0`, `%arg1`, …
std::string function(const std::vector<std::string> &arguments, const std::string &results,
                     const std::string &body, const std::string &returned);

// Returns a program with one matrix product; each operand may be transposed.
std::string matmul(int64_t m, int64_t n, int64_t k, bool lhsTransposed = false,
                   bool rhsTransposed = false, const std::string &in = "f32", std::string out = "",
                   const std::string &precision = "");

} // namespace drumlin

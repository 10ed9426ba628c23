// A generated program: its text, what a caller passes, and how its results may be compared.
#pragma once

#include "drumlin/support/ElementType.h"
#include "drumlin/support/Tensor.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace drumlin::fuzz {

struct TensorType {
  ElementType element = ElementType::F32;
  Shape shape;

  std::string text() const; // `tensor<2x3xf32>`
  int64_t elements() const { return *elementCount(shape); }
  bool operator==(const TensorType &other) const = default;
};

// How the elements of an argument are drawn.
enum class Filling : uint8_t {
  SmallIntegers, // in [-3, 3], as far as the type has them
  Indices,       // mostly within the sizes of dimensions, sometimes beyond, below zero too
  AnyInteger,    // over the whole type
  Numbers,       // floating point, in [-2, 2]
  Specials,      // the same with infinities, NaNs, subnormals, both zeros and the largest numbers
};

struct Argument {
  TensorType type;
  Filling filling = Filling::SmallIntegers;
};

struct Program {
  uint64_t seed = 0;
  std::string text;
  std::vector<Argument> arguments;
  // By result: whether its bits depend on how an implementation rounds inside sums and functions.
  // Where not, every correct implementation gives the same bits (any NaN being as good as another).
  std::vector<bool> resultIsRounded;
  int64_t operations = 0; // in all functions and regions
  // By name and element type: `stablehlo.add f32`; once for each type among an operation's results
  // and its first operand.
  std::map<std::string, int64_t> operationCounts;

  bool isExact() const;
  // The elements that the seed gives each argument.
  std::vector<Tensor> makeArguments() const;
};

} // namespace drumlin::fuzz

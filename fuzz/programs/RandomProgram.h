// A generated program: its text, its arguments, and how its results may be compared.
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

// The distribution of an argument's elements.
enum class Filling : uint8_t {
  SmallIntegers, // integers in [-3, 3] that the type can represent
  Indices,       // integers mostly within dimension sizes, sometimes larger or negative
  AnyInteger,    // integers of the type's whole range
  Numbers,       // floating-point numbers in [-2, 2]
  Specials,      // like Numbers, with infinities, NaNs, subnormals, both zeros, largest numbers
};

struct Argument {
  TensorType type;
  Filling filling = Filling::SmallIntegers;
};

struct Program {
  uint64_t seed = 0;
  std::string text;
  std::vector<Argument> arguments;
  // For each result, whether its bits depend on how an implementation rounds inside sums and
  // functions. If they don't, every correct implementation gives the same bits (all NaNs count as
  // equal).
  std::vector<bool> resultIsRounded;
  int64_t operations = 0; // operations in all functions and regions
  // Operation counts by name and type, such as `stablehlo.add f32`. An operation counts once for
  // each type among its results and first operand.
  std::map<std::string, int64_t> operationCounts;

  bool isExact() const;
  // Returns the arguments, whose elements the seed determines.
  std::vector<Tensor> makeArguments() const;
};

} // namespace drumlin::fuzz

// The code that a program was compiled from, stored without the elements of constants that the
// program already stores as weights.
#pragma once

#include "drumlin/pjrt/PjrtCompiler.h"

#include <string>
#include <string_view>
#include <vector>

namespace drumlin::pjrt {

struct ProgramCode {
  std::string rest; // the code without the bytes of weights
  std::vector<WeightInCode> weights = {};

  static ProgramCode of(std::string_view code, std::vector<WeightInCode> weights);
  // Restores the code, byte for byte, from the program's weights.
  std::string whole(const std::vector<Tensor> &weights) const;
  // Whether all ranges and weights to which this object refers exist.
  bool isValid(const std::vector<Tensor> &weights) const;
};

} // namespace drumlin::pjrt

// The code that a program was compiled from, kept without the elements of constants that the
// program keeps as weights.
#pragma once

#include "drumlin/pjrt/Compiler.h"

#include <string>
#include <string_view>
#include <vector>

namespace drumlin::pjrt {

struct ProgramCode {
  std::string rest; // without the weights' bytes
  std::vector<WeightInCode> weights = {};

  static ProgramCode of(std::string_view code, std::vector<WeightInCode> weights);
  // All of the code, byte for byte, given the program's weights.
  std::string whole(const std::vector<Tensor> &weights) const;
  // Whether it names bytes and weights that there are.
  bool isValid(const std::vector<Tensor> &weights) const;
};

} // namespace drumlin::pjrt

// What stands for the values of a constant that a printer left out.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include <string_view>

namespace drumlin {

struct ElidedFill {
  bool isStated = false; // by the user; else no run may see the values
  bool isRandom = true;
  uint64_t seed = 0;

  // `zeros`, or `random:SEED`; of an empty text the one that isn't stated. CommandLineInvalid for
  // others.
  static Result<ElidedFill> of(std::string_view text);

  // Random floats lie evenly in [-1, 1), random integers in 0 to 15 or as far as their type goes.
  // `constant`: its number in the program; each has other values.
  void fill(Tensor &tensor, uint64_t constant) const;
};

} // namespace drumlin

// Chooses values for constants whose elements the printer elided.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include <string_view>

namespace drumlin {

struct ElidedFill {
  bool isStated = false; // the user stated the fill; otherwise the program must not be run
  bool isRandom = true;
  uint64_t seed = 0;

  // Parses `zeros`, `random:SEED`, or an empty text. For an empty text, `isStated` is false. Fails
  // with CommandLineInvalid for any other text.
  static Result<ElidedFill> of(std::string_view text);

  // Fills a tensor. Random floats are uniform in [-1, 1). Random integers are uniform from 0 to 15,
  // or to the maximum of their type if it is smaller. `constant` identifies the constant in the
  // program; each constant gets different values.
  void fill(Tensor &tensor, uint64_t constant) const;
};

} // namespace drumlin

// The buffers that tensors of bounded sizes are parts of.
//
// `set_dimension_size` says how many elements of a dimension count, and keeps those behind them:
// XLA's programs append by writing behind the last element and making the dimension larger. A
// tensor here has the elements that count; this remembers what it is the beginning of.
#pragma once

#include "drumlin/support/Tensor.h"

#include <memory>

namespace drumlin {

class Buffers {
public:
  Buffers();

  // The buffer whose beginning, in each dimension, a tensor is; nothing for any other one. It is
  // kept as long as the tensor.
  std::optional<Tensor> bufferOf(const Tensor &part) const;
  // The same tensor, in memory of its own; nothing where there is none.
  std::optional<Tensor> keep(const Tensor &part, Tensor buffer);
  // Of all buffers together; one that several tensors begin counts for each.
  int64_t bytes() const;

private:
  struct State;
  std::shared_ptr<State> state; // tensors may outlive the run
};

} // namespace drumlin

// The full buffers of tensors with bounded sizes.
//
// `set_dimension_size` sets how many elements of a dimension are valid and also keeps all further
// elements: XLA's programs append by writing past the last valid element and then enlarging the
// dimension. In the interpreter, a tensor holds only the valid elements; this class remembers the
// tensor's full buffer.
#pragma once

#include "drumlin/support/Tensor.h"

#include <memory>

namespace drumlin {

class Buffers {
public:
  Buffers();

  // Returns the full buffer of which `part` holds the leading elements in each dimension; nothing
  // if there is none. A buffer is kept as long as its part.
  std::optional<Tensor> bufferOf(const Tensor &part) const;
  // Returns a copy of `part` in memory of its own, linked to `buffer`; nothing if allocation fails.
  std::optional<Tensor> keep(const Tensor &part, Tensor buffer);
  // Returns the total bytes of all buffers; a buffer counts once for each part that refers to it.
  int64_t bytes() const;

private:
  struct State;
  std::shared_ptr<State> state; // tensors may outlive the run
};

} // namespace drumlin

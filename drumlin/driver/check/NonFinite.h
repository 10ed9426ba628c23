// Finds the operations that create a run's first NaN and its first infinity. An elementwise
// operation is checked element by element. Any other operation counts as the origin of a NaN in its
// result if no operand contains a NaN, and as the origin of an infinity in its result if all
// operands are finite. Infinities among the program's constants are intended and don't count.
#pragma once

#include "drumlin/interpreter/Interpreter.h"

#include <optional>
#include <string>

namespace drumlin {

struct NonFiniteOrigin {
  std::string operation; // `stablehlo.log`, or `argument 2`
  std::string source;
  std::string kernel;   // the kernel that computes the operation; empty if it is interpreted
  int64_t element = 0;  // index in the result, row-major
  std::string operands; // values of the element's operands, if the operation is elementwise

  std::string str() const;
};

struct NonFiniteOrigins {
  std::optional<NonFiniteOrigin> nan, infinity;
};

struct NonFiniteCounts {
  int64_t nans = 0, infinities = 0;
  NonFiniteCounts &operator+=(const NonFiniteCounts &other);
};
NonFiniteCounts countNonFinite(const Tensor &tensor);
NonFiniteCounts countNonFinite(std::span<const Tensor> tensors);

// Returns a copy of the table whose handlers also search for the origins of NaN and infinity and
// store them in `found`. `found` must outlive the returned table. An origin that `found` already
// has is not searched for.
InterpreterTable searchingTable(const InterpreterTable &table, NonFiniteOrigins &found);

// Records NaNs and infinities among a program's arguments as origins.
void searchArguments(std::span<const Tensor> arguments, NonFiniteOrigins &found);

} // namespace drumlin

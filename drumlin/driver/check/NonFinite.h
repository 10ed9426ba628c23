// Where the first NaN and the first infinity of a run come from: the operation that gives one from
// operands that have none. An elementwise operation is judged element by element; any other one
// makes a NaN where none of its operands has one, and an infinity where all of them are finite.
// Infinities among the program's constants are what it asks for and no origin.
#pragma once

#include "drumlin/interpreter/Interpreter.h"

#include <optional>
#include <string>

namespace drumlin {

struct NonFiniteOrigin {
  std::string operation; // `stablehlo.log`, or `argument 2`
  std::string source;
  std::string kernel;   // that computes it; empty where the program is interpreted
  int64_t element = 0;  // of the result, row-major
  std::string operands; // the numbers that it came from, where the operation is elementwise

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

// The handlers of a table, which also look for the origins; `found` must outlive the table. What is
// found already is not looked for any more.
InterpreterTable searchingTable(const InterpreterTable &table, NonFiniteOrigins &found);

// Notes NaNs and infinities that a program is given.
void searchArguments(std::span<const Tensor> arguments, NonFiniteOrigins &found);

} // namespace drumlin

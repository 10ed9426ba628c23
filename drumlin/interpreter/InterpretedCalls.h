// Calls from a program to code outside of it, as drumlin/support/HostCall.h describes them.
#pragma once

#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/support/HostCall.h"

namespace drumlin {

// The shapes of a call's operands and results, for calls whose types don't give all sizes. Both
// lists are in signature order and include tokens.
struct HostShapes {
  std::vector<Shape> operands, results;
};

// Describes the call that `stablehlo.custom_call`, a transfer with the host or `plan.host_call`
// makes. Fails with UnsupportedAttribute if an attribute can't be passed to outside code, and with
// InterpreterUnsupported for other operations, and for values that are not tensors.
Result<HostCall> describeHostCall(mlir::Operation *op, const HostShapes *shapes = nullptr);

// Makes the call. `operands` and the returned results hold one tensor for each operand and result
// that is not a token, in the memory layout that the called code expects.
Result<std::vector<Tensor>> callHost(const HostCall &call, std::vector<Tensor> operands,
                                     const HostCaller &caller);

} // namespace drumlin

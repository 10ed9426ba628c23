// Calls of code outside of the program, as drumlin/support/HostCall.h describes them.
#pragma once

#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/support/HostCall.h"

namespace drumlin {

// The sizes of a call's values in the order of its signature, tokens among them, where types don't
// say them.
struct HostShapes {
  std::vector<Shape> operands, results;
};

// What `stablehlo.custom_call`, a transfer with the host or `plan.host_call` says. Fails with
// UnsupportedAttribute where an attribute is none that code outside can be given, and with
// InterpreterUnsupported for other operations, and for values that are no tensors.
Result<HostCall> describeHostCall(mlir::Operation *op, const HostShapes *shapes = nullptr);

// Calls it on operands that lie in memory as the code takes them, one for each that is no token;
// gives the results in the same way.
Result<std::vector<Tensor>> callHost(const HostCall &call, std::vector<Tensor> operands,
                                     const HostCaller &caller);

} // namespace drumlin

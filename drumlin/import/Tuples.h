// Replaces tuples, which compiled programs don't have, with their values.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// Returns the number of values in a type, including the values in nested tuples. Saturates.
int64_t valueCountOf(mlir::Type type);

// Maximum number of values in a tuple, more than any function has parameters.
inline constexpr int64_t maxTupleValues = 1 << 16;

// Replaces tuples in arguments and results of functions and calls with their values, in order.
// Operations that build tuples or extract their elements stay inside of functions. If a tuple
// argument is donated to a tuple result, each of its values is then donated to the corresponding
// value. Requires a verified module.
void flattenTuples(mlir::ModuleOp module);

} // namespace drumlin

// Tuples, which compiled programs don't have: what stands in a tuple is a value of its own.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// How many values a type stands for, those of tuples in tuples counted as well; saturates.
int64_t valueCountOf(mlir::Type type);

// More values than any function has parameters.
inline constexpr int64_t maxTupleValues = 1 << 16;

// Arguments and results of functions that are tuples become what is in them, in order, and so do
// those of calls. Tuples inside of a function stay, between the operations that make them and take
// them apart. A donation of one tuple to another is one of each value. Verified modules only.
void flattenTuples(mlir::ModuleOp module);

} // namespace drumlin

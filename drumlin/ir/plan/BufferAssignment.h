// Reading buffers back from a placed program.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

namespace drumlin {

// The name of the attribute that holds the buffers of an operation's results, in order; a while's
// are those of its carried values, in its regions as well.
inline constexpr const char *buffersAttribute = "buffers";
// The size of the arena in bytes, on the function.
inline constexpr const char *arenaBytesAttribute = "plan.arena_bytes";

// The names of the arguments that are bound at compile time, on the function: they are its last
// arguments, and the first entries of the weight table.
inline constexpr const char *weightsAttribute = "plan.weights";
size_t weightCount(mlir::Operation *function);
// Beside it: the arrays are used where they lie in the caller's file, so none is laid out.
inline constexpr const char *weightsInPlaceAttribute = "plan.weights_in_place";

// The value whose memory this one names: bitcasts are followed.
mlir::Value storageOf(mlir::Value value);

// The while whose region has this value as an argument, if any.
stablehlo::WhileOp loopOfArgument(mlir::Value value);

// The result that takes over an argument's memory (JAX writes `tf.aliasing_output`), if any: the
// two are one buffer for the whole run.
std::optional<int64_t> donatedTo(mlir::BlockArgument argument);

// Where a value of a placed program lies.
plan::BufferAttr bufferOf(mlir::Value value);

} // namespace drumlin

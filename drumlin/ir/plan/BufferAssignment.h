// Access to the buffer assignment of a placed program.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"

namespace drumlin::stablehlo {
class WhileOp;
}

namespace drumlin {

// Attribute with the buffers of an operation's results, in order. The buffers of a while's results
// are also those of its carried values inside its regions.
inline constexpr const char *buffersAttribute = "buffers";
// Function attribute with the size of the arena in bytes.
inline constexpr const char *arenaBytesAttribute = "plan.arena_bytes";

// Function attribute with the names of the arguments that are bound at compile time: these are the
// last arguments of the function and the first entries of the weight table.
inline constexpr const char *weightsAttribute = "plan.weights";
size_t weightCount(mlir::Operation *function);
// Marks a function whose weights are used in place in the caller's file, so that no weight is
// copied to another layout.
inline constexpr const char *weightsInPlaceAttribute = "plan.weights_in_place";

// Returns the value whose memory this value uses, looking through bitcasts.
mlir::Value storageOf(mlir::Value value);

// Returns the while operation that has a region with this value as an argument, or null.
stablehlo::WhileOp loopOfArgument(mlir::Value value);

// Returns the result that takes over an argument's memory, if any (the attribute
// `tf.aliasing_output` of JAX). The argument and the result share one buffer for the whole run.
std::optional<int64_t> donatedTo(mlir::BlockArgument argument);

// Returns the buffer of a value in a placed program.
plan::BufferAttr bufferOf(mlir::Value value);

} // namespace drumlin

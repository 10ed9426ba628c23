// Memory of values whose sizes are known when the program runs.
//
// They lie in slots behind the static part of the arena, one after another: what a slot holds at a
// time has its size. A buffer in slot i is `#plan.buffer<arena, i + 1, ...>`, with its place and
// bytes at the nominal sizes.
#pragma once

#include "drumlin/ir/sizes/SizeSymbols.h"

namespace drumlin {

// On the function beside the arena's bytes: the slots' sizes in bytes, multiples of the alignment.
inline constexpr const char *arenaSlotsAttribute = "plan.arena_slots";
std::vector<SizeExpression> arenaSlotsOf(mlir::func::FuncOp function);

// The bytes of a value's elements at each call.
SizeExpression symbolicBytesOf(mlir::RankedTensorType type);

// The bytes of all slots at the nominal sizes.
int64_t nominalSlotBytes(mlir::func::FuncOp function);

} // namespace drumlin

// Memory of values whose sizes are known only at run time.
//
// The slots of these values follow the static part of the arena, one after another. At run time,
// each slot has the size of the value that it holds. A buffer in slot i is `#plan.buffer<arena, i +
// 1, ...>`, with its offset and bytes at the nominal sizes.
#pragma once

#include "drumlin/ir/sizes/SizeSymbols.h"

namespace drumlin {

// Function attribute with the slots' sizes in bytes, which are multiples of the alignment. The
// static part of the arena has its own attribute.
inline constexpr const char *arenaSlotsAttribute = "plan.arena_slots";
std::vector<SizeExpression> arenaSlotsOf(mlir::func::FuncOp function);

// Returns the bytes of a value's elements as an expression of the symbolic sizes.
SizeExpression symbolicBytesOf(mlir::RankedTensorType type);

// Returns the bytes of all slots at the nominal sizes.
int64_t nominalSlotBytes(mlir::func::FuncOp function);

} // namespace drumlin

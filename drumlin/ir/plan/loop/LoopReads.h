// The positions at which a loop kernel's results read their operands.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/plan/loop/LoopProblem.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace drumlin {

// Traverses the values that a group's results read, users before operands. Calls `visit` for each
// value for which `isWanted` is true, once for each distinct map from the results' index to the
// index at which the value is read. The map is null if it is unknown. Ends the traversal and
// returns false if `visit` returns false, or if one value is read by too many maps.
bool followReads(const LoopGroup &group, llvm::function_ref<bool(mlir::Value)> isWanted,
                 llvm::function_ref<bool(mlir::Value, const IndexingMap *)> visit);

// Whether no result of the group reads an element of the argument that is before the result's own
// position in bytes, where each result has `resultBytes` bytes. If the results and the argument
// begin at the same address, the results can then be written from first to last without overwriting
// anything that a later result reads. The answer is conservative, because it uses the bounds of the
// indexing maps. A read at an unknown position counts as one before the result's position.
bool isReadAhead(mlir::BlockArgument argument, const LoopGroup &group, int64_t resultBytes);

} // namespace drumlin

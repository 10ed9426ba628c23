// The positions at which a loop kernel's results read their operands.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/plan/loop/LoopProblem.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace drumlin {

// Traverses the reads of a group from its results to the operands, visiting users before operands.
// Calls `visit` for each wanted operand and each way in which it is read: a map from the results'
// index to the operand's, or null if unknown. The traversal ends, and the function returns false,
// if `visit` returns false or if one value is read in too many ways.
bool followReads(const LoopGroup &group, llvm::function_ref<bool(mlir::Value)> isWanted,
                 llvm::function_ref<bool(mlir::Value, const IndexingMap *)> visit);

// Whether no result of the group reads an element of the argument that is before the result's own
// position. Then, if the memory of both begins at the same address and results have `resultBytes`
// bytes each, writing the results from first to last overwrites nothing that a later result reads.
// Conservative, by the bounds of the indexing maps: a read at an unknown position counts as one
// before the result's position.
bool isReadAhead(mlir::BlockArgument argument, const LoopGroup &group, int64_t resultBytes);

} // namespace drumlin

// Where a loop kernel's results read what they are made of.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/plan/loop/LoopProblem.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace drumlin {

// Follows the results of a group to the operands of its operations, users first. `visit` gets each
// operand that is wanted with each way in which it is asked for, a map from the results' index to
// its own; null where none tells. False where `visit` gave it, which ends the walk, or where one
// value is asked for in too many ways.
bool followReads(const LoopGroup &group, llvm::function_ref<bool(mlir::Value)> isWanted,
                 llvm::function_ref<bool(mlir::Value, const IndexingMap *)> visit);

// Whether no result of the group reads an element of the argument that lies before the result's own
// place: where the memory of both begins at one address and results have `resultBytes` bytes each,
// results that are written from the first one to the last overwrite nothing that a later one reads.
// Conservative, by the bounds of the indexing maps: what they can't tell counts as read before.
bool isReadAhead(mlir::BlockArgument argument, const LoopGroup &group, int64_t resultBytes);

} // namespace drumlin

// Where a loop kernel's results read its inputs, by the row-major places of both in memory.
#pragma once

#include "drumlin/ir/plan/loop/LoopProblem.h"

namespace drumlin {

// Whether no result of the group reads an element of the argument that lies before the result's own
// place: where the memory of both begins at one address and results have `resultBytes` bytes each,
// results that are written from the first one to the last overwrite nothing that a later one reads.
// Conservative, by the bounds of the indexing maps: what they can't tell counts as read before.
bool isReadAhead(mlir::BlockArgument argument, const LoopGroup &group, int64_t resultBytes);

} // namespace drumlin

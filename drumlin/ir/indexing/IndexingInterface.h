// How operations say what their results' elements are computed from.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/indexing/OperationClass.h"
#include "mlir/IR/OpDefinition.h"

namespace drumlin {

// The result's own index for elementwise operations; every element for all others.
IndexingMap indexingByDefault(mlir::OpOperand &operand, unsigned result);

// The result's own index; of an operand of one element, that.
IndexingMap elementwiseIndexing(mlir::OpOperand &operand, unsigned result);
// The same elements under another shape.
IndexingMap reshapeIndexing(mlir::OpOperand &operand, unsigned result);

// Whether sizes of an operand, a result or an attribute are known only when the program runs.
bool hasSymbolicShapes(mlir::Operation *op);

// A map to be written, of an operand and a result of one operation.
IndexingBuilder indexingBuilder(mlir::OpOperand &operand, unsigned result);

// The elements of an operand that an element of a result may be computed from. Nothing where one of
// them is no tensor of known shape, or where the operation doesn't say.
// An operation that reads by sizes gives a map of nominal sizes alone.
std::optional<IndexingMap> indexing(mlir::OpOperand &operand, unsigned result = 0);

// Whether all elements of an operation's result are elements of its one operand: a reshape, a
// transpose, a broadcast, a slice, a reversal. False where there is no operation.
bool isDataMovement(mlir::Operation *op);
// Which element of the operand each of its result is; nothing for other operations.
std::optional<IndexingMap> dataMovementIndexing(mlir::Operation *op);

} // namespace drumlin

#include "drumlin/ir/indexing/IndexingInterface.h.inc"

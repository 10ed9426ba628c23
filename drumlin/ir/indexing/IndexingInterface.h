// How operations declare which operand elements their results are computed from.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/indexing/OperationClass.h"
#include "mlir/IR/OpDefinition.h"

namespace drumlin {

// Returns the identity for elementwise operations; every element of the operand for all others.
IndexingMap indexingByDefault(mlir::OpOperand &operand, unsigned result);

// Returns the identity, or the single element of an operand of one element.
IndexingMap elementwiseIndexing(mlir::OpOperand &operand, unsigned result);
// Returns the map of a reshape: result and operand have the same elements in row-major order.
IndexingMap reshapeIndexing(mlir::OpOperand &operand, unsigned result);

// Whether an operand, a result or an attribute has sizes that are known only at run time.
bool hasSymbolicShapes(mlir::Operation *op);

// Returns a builder for the map from a result to an operand of the same operation.
IndexingBuilder indexingBuilder(mlir::OpOperand &operand, unsigned result);

// Returns the elements of an operand that an element of a result may be computed from; nothing if
// the operand or the result is no tensor of known shape, or if the operation has no map. The map of
// an operation that reads by sizes holds at the nominal sizes only.
std::optional<IndexingMap> indexing(mlir::OpOperand &operand, unsigned result = 0);

// Whether all elements of an operation's result are elements of its only operand: a reshape, a
// transpose, a broadcast, a slice, a reversal. False for null.
bool isDataMovement(mlir::Operation *op);
// Returns which element of the operand each element of the result is, for data movement; nothing
// for other operations.
std::optional<IndexingMap> dataMovementIndexing(mlir::Operation *op);

} // namespace drumlin

#include "drumlin/ir/indexing/IndexingInterface.h.inc"

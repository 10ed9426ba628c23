// How operations declare from which operand elements their results are computed.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/indexing/OperationClass.h"
#include "mlir/IR/OpDefinition.h"

namespace drumlin {

// Returns the map of an operation that does not define one: the identity for elementwise
// operations, the map to every element of the operand for all others.
IndexingMap indexingByDefault(mlir::OpOperand &operand, unsigned result);

// Returns the identity, or the map to the only element if the operand has one element.
IndexingMap elementwiseIndexing(mlir::OpOperand &operand, unsigned result);
// Returns the map of a reshape: result and operand have the same elements in row-major order.
IndexingMap reshapeIndexing(mlir::OpOperand &operand, unsigned result);

// Whether an operand, a result or an attribute has sizes that are known only at run time.
bool hasSymbolicShapes(mlir::Operation *op);

// Returns a builder for the map from a result to an operand of the same operation.
IndexingBuilder indexingBuilder(mlir::OpOperand &operand, unsigned result);

// Returns the map from a result element to the operand elements from which it may be computed;
// nothing if the operand or the result is not a tensor of known shape, or if the operation has no
// map. If readsBySizes() is true for the operation, the map is correct only at the nominal sizes.
std::optional<IndexingMap> indexing(mlir::OpOperand &operand, unsigned result = 0);

// Whether all elements of an operation's result are elements of its only operand, as for a reshape,
// a transpose, a broadcast, a slice or a reversal. False for null.
bool isDataMovement(mlir::Operation *op);
// Returns the map of a data movement operation, from each result element to the operand element
// that it equals; nothing for other operations.
std::optional<IndexingMap> dataMovementIndexing(mlir::Operation *op);

} // namespace drumlin

#include "drumlin/ir/indexing/IndexingInterface.h.inc"

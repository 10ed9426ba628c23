// Tensors as constants of programs.
#pragma once

#include "drumlin/support/Tensor.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace drumlin {

// Whether an element's bits fill its bytes. Such elements lie in MLIR's attributes as in a tensor;
// i1 and the sub-byte types have layouts of MLIR's own.
inline bool fillsItsBytes(ElementType type) { return info(type).bits == 8 * storageBytes(type); }

// Whether there are elements, all the same bit by bit.
bool hasEqualElements(const Tensor &tensor);

// A tensor whose elements are all the same becomes a splat.
mlir::DenseElementsAttr attributeFromTensor(const Tensor &tensor, mlir::MLIRContext *context);

} // namespace drumlin

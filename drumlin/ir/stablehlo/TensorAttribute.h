// Conversion of tensors to constants of programs.
#pragma once

#include "drumlin/support/Tensor.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace drumlin {

// Whether an element uses all bits of its bytes. MLIR's attributes and our tensors store such
// elements in the same way. They store i1 and types of less than one byte in different ways.
inline bool fillsItsBytes(ElementType type) { return info(type).bits == 8 * storageBytes(type); }

// Whether the tensor has elements, and all are bitwise equal.
bool hasEqualElements(const Tensor &tensor);

// Creates an attribute; a tensor with equal elements becomes a splat.
mlir::DenseElementsAttr attributeFromTensor(const Tensor &tensor, mlir::MLIRContext *context);

} // namespace drumlin

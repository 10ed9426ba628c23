// Converts constants of programs to tensors; drumlin/ir/stablehlo/TensorAttribute.h converts back.
// Element types and their storage are those of drumlin/support/Tensor.h.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace drumlin {

// Converts dense and dense-resource attributes of StableHLO's element types. If the attribute
// stores its elements as tensors do, the result shares the attribute's memory: don't write to the
// tensor, and don't let it outlive the context. Fails with InterpreterUnsupported for other
// attributes and with ConstantInvalid if a resource's bytes don't fit its type.
Result<Tensor> tensorFromAttribute(mlir::ElementsAttr attribute);

} // namespace drumlin

// Constants of programs as tensors; drumlin/ir/stablehlo/TensorAttribute.h has the way back.
// Element types and their places in memory are those of drumlin/support/Tensor.h.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace drumlin {

// Dense and dense-resource attributes of StableHLO's element types. Elements that lie in the
// attribute as they do in a tensor are shared with it: don't write to the tensor, and don't let it
// outlive the context. Fails with InterpreterUnsupported for other attributes and with
// ConstantInvalid where a resource's bytes don't fit its type.
Result<Tensor> tensorFromAttribute(mlir::ElementsAttr attribute);

} // namespace drumlin

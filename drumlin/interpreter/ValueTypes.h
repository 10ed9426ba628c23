// The representation of a running program's values as tensors: a tuple or a future is several
// tensors, a token none. Quantized elements are held as their stored integers, `index` as 64-bit
// integers.
#pragma once

#include "drumlin/interpreter/kernels/EvaluateQuantize.h"
#include "drumlin/support/Tensor.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeRange.h"

#include <optional>
#include <span>
#include <string>

namespace drumlin {

using TensorTypes = llvm::SmallVector<mlir::RankedTensorType, 4>;

// Returns the tensors that make up values of these types, in order; nothing if a type has no such
// representation (buffers, tensors of unknown rank).
std::optional<TensorTypes> tensorTypesOf(mlir::TypeRange types);
// Returns the number of tensors that hold a value of this type.
std::optional<size_t> tensorCountOf(mlir::Type type);

// Returns the type of the elements in memory, or nothing if StableHLO has no such type.
std::optional<ElementType> heldTypeOf(mlir::Type type);
// Returns the type in which an operation computes; for quantized elements the expressed type.
ElementType computedTypeOf(mlir::Type type);

// Returns whether a tensor may be a value of a type. A dimension of unknown size may have any size
// within its bound.
bool isValueOf(const Tensor &tensor, mlir::RankedTensorType type);

// Returns the tensor's type as text, such as `tensor<2x3xf32>`, or a list of these texts.
std::string str(const Tensor &tensor);
std::string str(std::span<const Tensor> tensors);

// Returns the quantization of a tensor's elements, or nothing if they aren't quantized.
std::optional<interpreter::Quantization> quantizationOf(mlir::RankedTensorType type);

// Views a complex tensor as its real and imaginary parts along a new last dimension; the inverse is
// below. The bytes stay the same.
Tensor complexParts(const Tensor &tensor);
Tensor fromComplexParts(const Tensor &parts);

} // namespace drumlin

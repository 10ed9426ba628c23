// How a running program holds its values: as tensors, of which a tuple or a future has several and
// a token none. Quantized elements are held as the integers that they are stored as, `index` as
// 64-bit integers.
#pragma once

#include "drumlin/interpreter/kernels/Quantize.h"
#include "drumlin/support/Tensor.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeRange.h"

#include <optional>
#include <span>
#include <string>

namespace drumlin {

using TensorTypes = llvm::SmallVector<mlir::RankedTensorType, 4>;

// The tensors that make up values of these types, in order; nothing where a type has none (buffers,
// tensors of unknown rank).
std::optional<TensorTypes> tensorTypesOf(mlir::TypeRange types);
// How many tensors hold a value of this type.
std::optional<size_t> tensorCountOf(mlir::Type type);

// The type of the elements in memory; nothing for those that StableHLO doesn't have.
std::optional<ElementType> heldTypeOf(mlir::Type type);
// The type in which an operation computes: that which quantized elements express.
ElementType computedTypeOf(mlir::Type type);

// Whether a tensor is a value of a type: dimensions of unknown size have any within their bound.
bool isValueOf(const Tensor &tensor, mlir::RankedTensorType type);

// `tensor<2x3xf32>`, and a list of such.
std::string str(const Tensor &tensor);
std::string str(std::span<const Tensor> tensors);

// How the elements of a tensor are to be read; nothing where they aren't quantized.
std::optional<interpreter::Quantization> quantizationOf(mlir::RankedTensorType type);

// A complex tensor as its real and imaginary parts, which are one more dimension, the last; and
// back. The bytes are the same.
Tensor complexParts(const Tensor &tensor);
Tensor fromComplexParts(const Tensor &parts);

} // namespace drumlin

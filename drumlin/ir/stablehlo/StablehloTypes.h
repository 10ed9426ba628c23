// Classification of MLIR types as StableHLO's tensors and element types, and conversion to the
// types of drumlin/support.
#pragma once

#include "drumlin/support/ElementType.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include <optional>

namespace drumlin {

// Returns the element type of a tensor type, or the element type itself; nothing for types outside
// of StableHLO.
std::optional<ElementType> tryElementTypeOf(mlir::Type type);
// Returns the result of tryElementTypeOf() for a type of a verified program, which has an element
// type.
ElementType elementTypeOf(mlir::Type type);
mlir::Type toMlirType(ElementType type, mlir::MLIRContext *context);
// Returns the type in which elements are stored in memory: the storage type of quantized elements,
// else the element type.
std::optional<ElementType> tryStoredTypeOf(mlir::Type type);

// Returns a tensor's shape; dimensions that are known only at run time are
// mlir::ShapedType::kDynamic.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

// Returns the number of bytes that a tensor of static shape takes in memory (storageBytes() for
// each element); nothing if it overflows int64_t.
std::optional<int64_t> byteSizeOf(mlir::RankedTensorType type);

// Returns the number of elements of a tensor of static shape.
inline int64_t elementsOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getNumElements();
}
// Returns byteSizeOf() for the value's type. Returns 0 for values that are not tensors, such as
// tokens. Also returns 0 if the number of bytes overflows, which does not occur in programs.
inline int64_t bytesOf(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type ? byteSizeOf(type).value_or(0) : 0;
}

} // namespace drumlin

namespace drumlin::stablehlo {

// Sets of element kinds, for type constraints of operations.
namespace kinds {
constexpr unsigned Boolean = 1;
constexpr unsigned Signed = 2;
constexpr unsigned Unsigned = 4;
constexpr unsigned Integer = Signed | Unsigned;
constexpr unsigned Float = 8;
constexpr unsigned Complex = 16;
constexpr unsigned Any = 31; // any element that isn't quantized
constexpr unsigned Quantized = 32;
constexpr unsigned QuantizedPerAxis = 64; // quantized per axis or per block ("sub-channel")
} // namespace kinds

// Whether a type is a ranked tensor with an element type of one of the kinds. Quantized element
// types must fit the tensor (specification, "Types", QuantizedTensorElementType C1 to C13).
bool isTensorOf(mlir::Type type, unsigned allowedKinds);

// Sets of kinds of values.
namespace values {
constexpr unsigned Tensor = 1;    // a tensor whose elements are quantized per tensor or not at all
constexpr unsigned AnyTensor = 2; // a tensor of any element type
constexpr unsigned UnrankedTensor = 4; // arguments and results of foreign code
constexpr unsigned Token = 8;
constexpr unsigned Tuple = 16; // a tuple of AnyTensor, Token, Buffer and Tuple
constexpr unsigned Buffer = 32;
constexpr unsigned Future = 64;
} // namespace values

bool isValueOf(mlir::Type type, unsigned allowedKinds);

// Whether an attribute is a list of `index` numbers, like a layout.
bool isIndexVector(mlir::Attribute attribute);

// Whether all dimensions of a tensor are known, except for at most one with a bound.
bool isStaticOrSingleBounded(mlir::RankedTensorType type);

//===-- quantized elements --------------------------------------------------------------------===//

inline bool isQuantized(mlir::Type type) {
  return llvm::isa<mlir::quant::QuantizedType>(mlir::getElementTypeOrSelf(type));
}
inline bool isPerTensorQuantized(mlir::Type type) {
  return llvm::isa<mlir::quant::UniformQuantizedType>(mlir::getElementTypeOrSelf(type));
}
inline bool isPerAxisQuantized(mlir::Type type) {
  return llvm::isa<mlir::quant::UniformQuantizedPerAxisType>(mlir::getElementTypeOrSelf(type));
}
// Returns the expressed type of quantized elements, or the element type itself.
mlir::Type expressedTypeOf(mlir::Type type);

// Whether types have the same baseline (baseline_element_type of the specification): they are equal
// except for scales and zero points.
bool haveSameBaseline(mlir::Type a, mlir::Type b);

//===-- dimensions of unknown size ------------------------------------------------------------===//

inline bool areCompatible(int64_t a, int64_t b) {
  return a == b || mlir::ShapedType::isDynamic(a) || mlir::ShapedType::isDynamic(b);
}
// Whether shapes have the same rank and no dimension with two known, different sizes.
bool areCompatible(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

// Returns the bound of a dimension (`#stablehlo.bounds`), or kDynamic without one.
int64_t boundOf(mlir::RankedTensorType type, int64_t dimension);

// Whether a value of type `a` may have type `b` at run time: the types are equal except in
// dimensions that are unknown in one of them.
bool areCompatible(mlir::Type a, mlir::Type b);
// Whether types with the same baseline are compatible except for scales and zero points.
bool haveCompatibleBaselines(mlir::Type a, mlir::Type b);

} // namespace drumlin::stablehlo

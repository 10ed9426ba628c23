// Which MLIR types are StableHLO's tensors and element types, and their counterparts in
// drumlin/support.
#pragma once

#include "drumlin/support/ElementType.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include <optional>

namespace drumlin {

// The element type of a tensor type, or the element type itself; nothing for any type that
// StableHLO doesn't name.
std::optional<ElementType> tryElementTypeOf(mlir::Type type);
// The same for verified programs, where there always is one.
ElementType elementTypeOf(mlir::Type type);
mlir::Type toMlirType(ElementType type, mlir::MLIRContext *context);
// The element type in which a tensor's elements lie in memory: for quantized elements that of their
// storage, for all others their own.
std::optional<ElementType> tryStoredTypeOf(mlir::Type type);

// A tensor's shape in elements; dimensions that are known only at run time are
// mlir::ShapedType::kDynamic.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

// The bytes that a tensor of static shape takes in memory (storageBytes for each element); nothing
// if that overflows int64_t.
std::optional<int64_t> byteSizeOf(mlir::RankedTensorType type);

// Elements of a tensor of static shape.
inline int64_t elementsOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getNumElements();
}
// byteSizeOf() its type; 0 for what is no tensor, such as a token, and for sizes that overflow,
// which programs don't have.
inline int64_t bytesOf(mlir::Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type ? byteSizeOf(type).value_or(0) : 0;
}

} // namespace drumlin

namespace drumlin::stablehlo {

// Sets of element kinds, for the operations' type constraints.
namespace kinds {
constexpr unsigned Boolean = 1;
constexpr unsigned Signed = 2;
constexpr unsigned Unsigned = 4;
constexpr unsigned Integer = Signed | Unsigned;
constexpr unsigned Float = 8;
constexpr unsigned Complex = 16;
constexpr unsigned Any = 31; // that isn't quantized
constexpr unsigned Quantized = 32;
constexpr unsigned QuantizedPerAxis = 64; // or by blocks ("sub-channel")
} // namespace kinds

// Whether a type is a ranked tensor of an element type of one of the kinds. Quantized element types
// must fit the tensor as the specification says ("Types", QuantizedTensorElementType C1 to C13).
bool isTensorOf(mlir::Type type, unsigned allowedKinds);

// Sets of kinds of values.
namespace values {
constexpr unsigned Tensor = 1;    // a tensor whose elements are quantized per tensor or not at all
constexpr unsigned AnyTensor = 2; // a tensor of any element type
constexpr unsigned UnrankedTensor = 4; // what foreign code takes and gives
constexpr unsigned Token = 8;
constexpr unsigned Tuple = 16; // of AnyTensor, Token, Buffer and Tuple
constexpr unsigned Buffer = 32;
constexpr unsigned Future = 64;
} // namespace values

bool isValueOf(mlir::Type type, unsigned allowedKinds);

// Whether an attribute is a list of `index` numbers, as layouts are.
bool isIndexVector(mlir::Attribute attribute);

// Whether a tensor's dimensions are all known, or at most one is not and has a bound.
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
// The expressed type of quantized elements, or the element type itself.
mlir::Type expressedTypeOf(mlir::Type type);

// baseline_element_type(a) = baseline_element_type(b) of the specification: equal but for the
// scales and zero points.
bool haveSameBaseline(mlir::Type a, mlir::Type b);

//===-- dimensions of unknown size ------------------------------------------------------------===//

inline bool areCompatible(int64_t a, int64_t b) {
  return a == b || mlir::ShapedType::isDynamic(a) || mlir::ShapedType::isDynamic(b);
}
// Same rank, and no dimension whose two sizes are known and differ.
bool areCompatible(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

// The bound of a dimension (`#stablehlo.bounds`): kDynamic where there is none.
int64_t boundOf(mlir::RankedTensorType type, int64_t dimension);

// Whether a value of type `a` may turn out to be one of type `b`: equal but for dimensions that one
// of them leaves open.
bool areCompatible(mlir::Type a, mlir::Type b);
// The same for types whose elements have one baseline.
bool haveCompatibleBaselines(mlir::Type a, mlir::Type b);

} // namespace drumlin::stablehlo

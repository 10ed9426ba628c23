// Which MLIR types are StableHLO's tensors and element types, and their counterparts in
// drumlin/support.
#pragma once

#include "drumlin/support/ElementType.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace drumlin {

// The element type of a tensor type, or the element type itself; nothing for any type that
// StableHLO doesn't name.
std::optional<ElementType> tryElementTypeOf(mlir::Type type);
// The same for verified programs, where there always is one.
ElementType elementTypeOf(mlir::Type type);
mlir::Type toMlirType(ElementType type, mlir::MLIRContext *context);

// A tensor's static shape in elements.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

// The bytes that a tensor's elements take in memory (storageBytes for each); nothing if that
// overflows int64_t.
std::optional<int64_t> byteSizeOf(mlir::RankedTensorType type);

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
constexpr unsigned Any = 31;
} // namespace kinds

// Whether a type is a ranked tensor of static shape, without an encoding, of an element type of one
// of the kinds.
bool isTensorOf(mlir::Type type, unsigned allowedKinds);

} // namespace drumlin::stablehlo

// The interfaces, traits and types on which StableHLO operations' classes depend. Each class is
// declared by a generated header of its name, such as AddOp.h. Class and accessor names are those
// of upstream StableHLO.
#pragma once

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace drumlin::stablehlo {

mlir::LogicalResult verifySameShape(mlir::Operation *op);
mlir::LogicalResult verifySameType(mlir::Operation *op);

template <typename ConcreteOp>
class SameShape : public mlir::OpTrait::TraitBase<ConcreteOp, SameShape> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifySameShape(op); }
};

template <typename ConcreteOp>
class SameType : public mlir::OpTrait::TraitBase<ConcreteOp, SameType> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifySameType(op); }
};

// Whether a type can represent a shape as a value: a 1-dimensional tensor of integers or of
// `index`.
bool isDimensionTensor(mlir::Type type);

} // namespace drumlin::stablehlo

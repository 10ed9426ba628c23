// The operations of the `stablehlo` dialect, by family. Class and accessor names are those of
// upstream StableHLO.
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

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Elementwise.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Constant.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Dot.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Convolution.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Reduce.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Window.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Shape.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Gather.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Control.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Sort.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Dynamic.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/LinearAlgebra.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/BatchNorm.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Random.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Quantize.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Legacy.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Collective.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Communication.h.inc"
#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Call.h.inc"

// Complex numbers become pairs of real ones.
//
// A complex value is two tensors of floats from here on, its real and its imaginary parts, so that
// everything behind this pass (fusion, layouts, products, code) is about real numbers. What moves
// data is done to each part; what computes becomes formulas of the parts (ComplexFunctions.h);
// operations with regions take and give twice as many values. Operations that work on complex
// numbers as a whole (fft, cholesky, triangular_solve, calls) stay, between `complex` and `real`,
// `imag`.
//
// Callers pass and get complex numbers as they always lie: the entry's arguments and results have
// one more dimension, the last, of the two parts, and `plan.complex` says so
// (drumlin/ir/plan/Layouts.h).
#pragma once

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/transforms/simplify/complex/ComplexPairs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace drumlin {

// Whether values of the type are complex numbers, or tensors of them.
bool isComplexType(mlir::Type type);

// Splits all complex values of a function whose shapes are static.
class ComplexSplitter {
public:
  explicit ComplexSplitter(mlir::func::FuncOp function) : function(function) {}

  void run();
  // Returns operations of pairs that may be several, once all are split.
  llvm::ArrayRef<mlir::Operation *> independentOperations() const { return independent; }

private:
  //===-- values --===//

  ComplexParts partsOf(mlir::Value value);

  // The operands, each complex one as its two parts.
  llvm::SmallVector<mlir::Value> expanded(mlir::ValueRange values);
  static llvm::SmallVector<mlir::Type> expandedTypes(mlir::TypeRange types);

  // The operation's results are those of `made`, each complex one two of them.
  void replace(mlir::Operation *op, mlir::ValueRange made);

  //===-- the entry --===//

  void splitEntry();

  // The order that is asked for, of one dimension more, which is the innermost one.
  mlir::StringAttr pairMode(mlir::StringAttr mode, int64_t rank);

  void splitReturn(mlir::Operation *op);

  //===-- operations --===//

  void splitBlock(mlir::Block &block);

  void split(mlir::Operation *op);

  // Code outside of the program takes and gives complex numbers as callers do.
  void splitHostCall(plan::HostCallOp call);

  void splitSimple(mlir::Operation *op);

  // The values that an operation without regions gives, complex ones as two; none if it stays.
  llvm::SmallVector<mlir::Value> simple(mlir::OpBuilder &builder, mlir::Operation *op);

  // Whether elements stay what they are.
  static bool movesData(mlir::Operation *op);

  // The same operation on other operands.
  static mlir::Operation *rebuilt(mlir::OpBuilder &builder, mlir::Operation *op,
                                  mlir::ValueRange operands);

  llvm::SmallVector<mlir::Value> eachPart(mlir::OpBuilder &builder, mlir::Operation *op);

  static ComplexParts constantParts(mlir::OpBuilder &builder, stablehlo::ConstantOp constant);

  // Between complex numbers each part; to one, with no imaginary part; from one, its real part.
  template <typename Zeros>
  llvm::SmallVector<mlir::Value> convertParts(mlir::OpBuilder &builder,
                                              stablehlo::ConvertOp convert, Zeros zeros);

  // Of one width nothing changes; else the parts' bytes are those of two numbers, or half of one.
  llvm::SmallVector<mlir::Value> bitcastParts(mlir::OpBuilder &builder,
                                              stablehlo::BitcastConvertOp bitcast);

  ComplexParts clampParts(mlir::OpBuilder &builder, stablehlo::ClampOp clamp);

  // (a + ib)(c + id) = (ac - bd) + i(ad + bc), each a product of real numbers.
  llvm::SmallVector<mlir::Value> productParts(mlir::OpBuilder &builder, mlir::Operation *op);

  //===-- regions --===//

  void splitRegions(mlir::Operation *op, bool ofComplex);

  static mlir::Value indexConstant(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);

  // Of two candidates, parts and position each, those of the one that is selected.
  void selectCandidate(stablehlo::SelectAndScatterOp op, mlir::Block &body);

  // The position of each window's selected element in the flattened operand. A window reduction of
  // three operands: the parts and the positions, -1 outside.
  mlir::Value selectedPositions(mlir::OpBuilder &builder, stablehlo::SelectAndScatterOp op);

  // The operation itself takes one operand: the sources are scattered to the positions of the
  // selected elements, in one dimension.
  void splitSelection(mlir::OpBuilder &builder, stablehlo::SelectAndScatterOp op);

  // A stable sort from the largest down, of which the first k stay.
  llvm::SmallVector<mlir::Value> topParts(mlir::OpBuilder &builder, chlo::TopKOp op);

  // Each complex argument as two; of a comparator, whose arguments come in pairs of one operand,
  // the pair of the real parts and that of the imaginary ones.
  void expandArguments(mlir::Block &block, bool inPairs);

  mlir::func::FuncOp function;
  llvm::DenseMap<mlir::Value, ComplexParts> parts;
  llvm::SmallVector<mlir::Operation *>
      replaced; // in program order, without uses once all are split
  llvm::SmallVector<std::pair<mlir::Block *, llvm::SmallVector<mlir::BlockArgument>>>
      replacedArguments;
  llvm::SmallVector<mlir::Operation *> independent;
};

} // namespace drumlin

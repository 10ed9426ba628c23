// Rewrites complex numbers as pairs of real numbers.
//
// From this pass on a complex value is two float tensors, its real and imaginary parts, so that all
// later phases (fusion, layouts, dots, code) handle only real numbers. Data movement is applied to
// each part. Arithmetic becomes formulas of the parts (ComplexFunctions.h). Operations with regions
// get twice as many values. Operations that take complex numbers directly (fft, cholesky,
// triangular_solve, calls) stay: `complex` combines the parts of their operands, and `real` and
// `imag` extract the parts of their results.
//
// Callers pass and get complex numbers in their usual format: the entry's arguments and results
// have an additional last dimension for the two parts, marked by `plan.complex`
// (drumlin/ir/plan/Layouts.h).
#pragma once

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/HostCallOp.h"
#include "drumlin/ir/stablehlo/BitcastConvertOp.h"
#include "drumlin/ir/stablehlo/ClampOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "drumlin/transforms/simplify/complex/ComplexPairs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace drumlin {

// Returns whether the type is a complex number or a tensor of complex numbers.
bool isComplexType(mlir::Type type);

// Splits all complex values of a function whose shapes are static.
class ComplexSplitter {
public:
  explicit ComplexSplitter(mlir::func::FuncOp function) : function(function) {}

  void run();
  // Returns operations on pairs that can be split into independent operations later.
  llvm::ArrayRef<mlir::Operation *> independentOperations() const { return independent; }

private:
  //===-- values --===//

  ComplexParts partsOf(mlir::Value value);

  // Returns the operands, each complex operand replaced by its two parts.
  llvm::SmallVector<mlir::Value> expanded(mlir::ValueRange values);
  static llvm::SmallVector<mlir::Type> expandedTypes(mlir::TypeRange types);

  // Replaces the operation's results by `made`, which has two values per complex result.
  void replace(mlir::Operation *op, mlir::ValueRange made);

  //===-- the entry --===//

  void splitEntry();

  // Returns the requested layout with an additional, innermost dimension.
  mlir::StringAttr pairMode(mlir::StringAttr mode, int64_t rank);

  void splitReturn(mlir::Operation *op);

  //===-- operations --===//

  void splitBlock(mlir::Block &block);

  void split(mlir::Operation *op);

  // Makes a host call take and return complex tensors, since code outside the program expects their
  // usual format.
  void splitHostCall(plan::HostCallOp call);

  void splitSimple(mlir::Operation *op);

  // Returns the results of an operation without regions, two per complex result; empty if the
  // operation stays.
  llvm::SmallVector<mlir::Value> simple(mlir::OpBuilder &builder, mlir::Operation *op);

  // Returns whether the operation only moves elements.
  static bool movesData(mlir::Operation *op);

  // Rebuilds the operation with other operands.
  static mlir::Operation *rebuilt(mlir::OpBuilder &builder, mlir::Operation *op,
                                  mlir::ValueRange operands);

  llvm::SmallVector<mlir::Value> eachPart(mlir::OpBuilder &builder, mlir::Operation *op);

  static ComplexParts constantParts(mlir::OpBuilder &builder, stablehlo::ConstantOp constant);

  // Splits a conversion: from complex to complex, converts each part; from real to complex, adds a
  // zero imaginary part; from complex to real, keeps the real part.
  template <typename Zeros>
  llvm::SmallVector<mlir::Value> convertParts(mlir::OpBuilder &builder,
                                              stablehlo::ConvertOp convert, Zeros zeros);

  // Splits a bitcast. Leaves a bitcast to a type of the same width unchanged; otherwise each part's
  // bytes become two numbers, or half of one number.
  llvm::SmallVector<mlir::Value> bitcastParts(mlir::OpBuilder &builder,
                                              stablehlo::BitcastConvertOp bitcast);

  ComplexParts clampParts(mlir::OpBuilder &builder, stablehlo::ClampOp clamp);

  // Computes (a + ib)(c + id) = (ac - bd) + i(ad + bc), where each product is a dot or convolution
  // of real numbers.
  llvm::SmallVector<mlir::Value> productParts(mlir::OpBuilder &builder, mlir::Operation *op);

  //===-- regions --===//

  void splitRegions(mlir::Operation *op, bool ofComplex);

  static mlir::Value indexConstant(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);

  // Rewrites the body to select between two candidates, each given by its real part, its imaginary
  // part and its position.
  void selectCandidate(stablehlo::SelectAndScatterOp op, mlir::Block &body);

  // Returns the position of each window's selected element in the flattened operand. Uses a window
  // reduction of three operands: the real part, the imaginary part, and the positions, which are -1
  // in the padding.
  mlir::Value selectedPositions(mlir::OpBuilder &builder, stablehlo::SelectAndScatterOp op);

  // Scatters the sources to the positions of the selected elements in one flattened dimension,
  // since select_and_scatter supports only one operand.
  void splitSelection(mlir::OpBuilder &builder, stablehlo::SelectAndScatterOp op);

  // Emits a stable descending sort, followed by slices of the first k elements.
  llvm::SmallVector<mlir::Value> topParts(mlir::OpBuilder &builder, chlo::TopKOp op);

  // Expands each complex argument into two. Arguments of comparators come in pairs: there, the pair
  // of real parts precedes the pair of imaginary parts.
  void expandArguments(mlir::Block &block, bool inPairs);

  mlir::func::FuncOp function;
  llvm::DenseMap<mlir::Value, ComplexParts> parts;
  llvm::SmallVector<mlir::Operation *>
      replaced; // in program order; unused once all values are split
  llvm::SmallVector<std::pair<mlir::Block *, llvm::SmallVector<mlir::BlockArgument>>>
      replacedArguments;
  llvm::SmallVector<mlir::Operation *> independent;
};

} // namespace drumlin

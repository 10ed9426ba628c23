// Makes operations on tensors of known sizes at one place of a program, as expressions.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

namespace drumlin {

class TensorBuilder {
public:
  using Sizes = llvm::ArrayRef<int64_t>;
  using Value = mlir::Value;

  // All operations have the location of `op` and stand before it.
  explicit TensorBuilder(mlir::Operation *op) : builder(op), loc(op->getLoc()) {}
  TensorBuilder(mlir::OpBuilder builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &operations() { return builder; }
  mlir::Location location() const { return loc; }

  static mlir::RankedTensorType typeOf(Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  }
  static mlir::Type elementOf(Value value) { return typeOf(value).getElementType(); }

  mlir::Type unsignedType(unsigned bits) const {
    return mlir::IntegerType::get(builder.getContext(), bits, mlir::IntegerType::Unsigned);
  }
  mlir::Type signedType(unsigned bits) const {
    return mlir::IntegerType::get(builder.getContext(), bits);
  }

  //===-- constants ---------------------------------------------------------------------------===//

  // Rounded to the element type, as the interpreter rounds it; for integers its low bits.
  Value number(mlir::Type element, double value, Sizes shape = {});
  Value integer(mlir::Type element, uint64_t value, Sizes shape = {});
  Value like(Value other, uint64_t value) {
    return integer(elementOf(other), value, shapeOf(other));
  }
  // Of elements whose bits are all zero.
  Value zero(mlir::Type element, Sizes shape = {});
  // The position of each element in row-major order.
  Value positions(mlir::Type element, Sizes shape);
  Value iota(mlir::Type element, Sizes shape, int64_t dimension);

  //===-- elementwise -------------------------------------------------------------------------===//

  template <typename Op> Value unary(Value x) {
    return Op::create(builder, loc, x.getType(), x).getResult();
  }
  template <typename Op> Value binary(Value x, Value y) {
    return Op::create(builder, loc, x.getType(), x, y).getResult();
  }
  Value add(Value x, Value y) { return binary<stablehlo::AddOp>(x, y); }
  Value subtract(Value x, Value y) { return binary<stablehlo::SubtractOp>(x, y); }
  Value multiply(Value x, Value y) { return binary<stablehlo::MulOp>(x, y); }
  Value divide(Value x, Value y) { return binary<stablehlo::DivOp>(x, y); }
  Value logicalAnd(Value x, Value y) { return binary<stablehlo::AndOp>(x, y); }
  Value logicalOr(Value x, Value y) { return binary<stablehlo::OrOp>(x, y); }
  Value logicalXor(Value x, Value y) { return binary<stablehlo::XorOp>(x, y); }
  Value shiftLeft(Value x, uint64_t bits) {
    return binary<stablehlo::ShiftLeftOp>(x, like(x, bits));
  }
  Value shiftRight(Value x, uint64_t bits) {
    return binary<stablehlo::ShiftRightLogicalOp>(x, like(x, bits));
  }
  Value compare(stablehlo::ComparisonDirection direction, Value x, Value y);
  // The predicate is a scalar or has the shape of the others.
  Value select(Value predicate, Value onTrue, Value onFalse);
  Value convert(Value x, mlir::Type element);
  // The same bits in another type of as many.
  Value bitcast(Value x, mlir::Type element);

  //===-- data movement -----------------------------------------------------------------------===//

  Value reshape(Value x, Sizes shape);
  // The operand's dimensions become those at `dimensions`.
  Value broadcast(Value x, Sizes shape, Sizes dimensions = {});
  Value transpose(Value x, Sizes permutation);
  Value slice(Value x, Sizes start, Sizes limit, Sizes strides);
  // [start, limit) of one dimension.
  Value slice(Value x, int64_t dimension, int64_t start, int64_t limit);
  Value concatenate(mlir::ValueRange values, int64_t dimension);

  // The same values, which are computed apart from what reads them.
  llvm::SmallVector<Value> barrier(mlir::ValueRange values);

  //===-- sums --------------------------------------------------------------------------------===//

  // From zero, over dimensions.
  Value sum(Value x, Sizes dimensions);

  //===-- parts that values choose ------------------------------------------------------------===//

  // Starts are scalars, one a dimension; parts beyond the tensor's end are moved inside.
  Value dynamicSlice(Value x, mlir::ValueRange starts, Sizes sizes);
  Value dynamicUpdate(Value x, Value update, mlir::ValueRange starts);
  // One index of a dimension, without it.
  Value sliceAt(Value x, int64_t dimension, Value index);
  Value updateAt(Value x, Value slice, int64_t dimension, Value index);
  // The elements of a list, a tensor of one dimension, at indices, a tensor of any shape.
  Value take(Value list, Value indices);

  //===-- loops -------------------------------------------------------------------------------===//

  using Carried = llvm::SmallVector<Value>;
  using MakeCarried = llvm::function_ref<Carried(TensorBuilder &, mlir::ValueRange)>;
  using MakeValue = llvm::function_ref<Value(TensorBuilder &, mlir::ValueRange)>;

  // while (holds(carried)) carried = next(carried)
  Carried whileLoop(mlir::ValueRange initial, MakeValue holds, MakeCarried next);
  // For each i below `count`, a scalar of i64: carried = next(i, carried)
  using MakeNext = llvm::function_ref<Carried(TensorBuilder &, Value, mlir::ValueRange)>;
  Carried countedLoop(Value count, mlir::ValueRange initial, MakeNext next);

private:
  mlir::OpBuilder builder;
  mlir::Location loc;
};

} // namespace drumlin

// Makes operations on tensors at one place of a program, as expressions.
#pragma once

#include "drumlin/ir/sizes/Size.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

namespace drumlin {

class TensorShape {
public:
  TensorShape() = default;
  TensorShape(std::initializer_list<Size> sizes) : sizes(sizes) {}
  // NOLINTBEGIN(google-explicit-constructor): known sizes are a shape
  TensorShape(llvm::ArrayRef<int64_t> sizes) : sizes(sizes.begin(), sizes.end()) {}
  TensorShape(const llvm::SmallVectorImpl<int64_t> &sizes)
      : TensorShape(llvm::ArrayRef<int64_t>(sizes)) {}
  // NOLINTEND(google-explicit-constructor)
  static TensorShape of(mlir::Value value);

  bool operator==(const TensorShape &other) const { return sizes == other.sizes; }
  size_t size() const { return sizes.size(); }
  bool empty() const { return sizes.empty(); }
  // A shape that is not kept gives its sizes by value: references to them would dangle.
  Size &operator[](size_t d) & { return sizes[d]; }
  const Size &operator[](size_t d) const & { return sizes[d]; }
  Size operator[](size_t d) && { return std::move(sizes[d]); }
  auto begin() const { return sizes.begin(); }
  auto end() const { return sizes.end(); }
  void push_back(Size size) { sizes.push_back(std::move(size)); }
  void erase(size_t d) { sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(d)); }

  Size elements() const;
  llvm::SmallVector<int64_t> nominal() const;
  std::vector<SizeExpression> expressions() const;
  mlir::RankedTensorType typeOf(mlir::Type element) const;

private:
  llvm::SmallVector<Size, 4> sizes;
};

class TensorBuilder {
public:
  using Numbers = llvm::ArrayRef<int64_t>;
  using Sizes = const TensorShape &;
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
    return integer(elementOf(other), value, TensorShape::of(other));
  }
  // Of elements whose bits are all zero.
  Value zero(mlir::Type element, Sizes shape = {});
  // The position of each element in row-major order.
  Value positions(mlir::Type element, Sizes shape);
  Value iota(mlir::Type element, Sizes shape, int64_t dimension);
  // A size as a number of 64 bits, for each element of a tensor.
  Value count(const Size &size, Sizes shape = {});

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
  Value broadcast(Value x, Sizes shape, Numbers dimensions = {});
  // A dimension that has this size or, as only the run tells, one element, which is repeated.
  Value repeat(Value x, int64_t dimension, const Size &size);
  Value transpose(Value x, Numbers permutation);
  Value slice(Value x, Numbers start, Numbers limit, Numbers strides);
  // The elements that are a stride apart, from the first one on: as many as the shape has.
  Value everyOf(Value x, Sizes shape, Sizes strides);
  // [start, limit) of one dimension.
  Value slice(Value x, int64_t dimension, int64_t start, int64_t limit);
  Value concatenate(mlir::ValueRange values, int64_t dimension);
  // Zeros before and behind the elements of one dimension; less than none takes elements away.
  Value pad(Value x, int64_t dimension, int64_t low, int64_t high);

  // The same values, which are computed apart from what reads them.
  llvm::SmallVector<Value> barrier(mlir::ValueRange values);

  //===-- reductions --------------------------------------------------------------------------===//

  // From zero, over dimensions.
  Value sum(Value x, Numbers dimensions);
  // The largest elements over dimensions, 0 at least.
  Value largest(Value x, Numbers dimensions);

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
  template <typename Op> Value reduced(Value x, Value initial, Numbers dimensions);

  mlir::OpBuilder builder;
  mlir::Location loc;
};

} // namespace drumlin

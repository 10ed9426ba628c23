// Creates tensor operations at one insertion point, so that code reads like expressions.
#pragma once

#include "drumlin/ir/sizes/Size.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloOperation.h"
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
  // A temporary shape returns its sizes by value: references would dangle.
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

  // All operations get the location of `op` and are inserted before it.
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

  // Returns a constant. Rounds it to a floating-point element type as the interpreter does; for an
  // integer type, takes its low bits.
  Value number(mlir::Type element, double value, Sizes shape = {});
  Value integer(mlir::Type element, uint64_t value, Sizes shape = {});
  Value like(Value other, uint64_t value) {
    return integer(elementOf(other), value, TensorShape::of(other));
  }
  // Returns a constant whose bits are all zero.
  Value zero(mlir::Type element, Sizes shape = {});
  // Returns the position of each element in row-major order.
  Value positions(mlir::Type element, Sizes shape);
  Value iota(mlir::Type element, Sizes shape, int64_t dimension);
  // Returns a size as a 64-bit number, broadcast to a tensor.
  Value count(const Size &size, Sizes shape = {});

  //===-- elementwise -------------------------------------------------------------------------===//

  template <typename Op> Value unary(Value x) {
    return Op::create(builder, loc, x.getType(), x).getResult();
  }
  template <typename Op> Value binary(Value x, Value y) {
    return Op::create(builder, loc, x.getType(), x, y).getResult();
  }
  Value add(Value x, Value y);
  Value subtract(Value x, Value y);
  Value multiply(Value x, Value y);
  Value divide(Value x, Value y);
  Value logicalAnd(Value x, Value y);
  Value logicalOr(Value x, Value y);
  Value logicalXor(Value x, Value y);
  Value shiftLeft(Value x, uint64_t bits);
  Value shiftRight(Value x, uint64_t bits);
  Value compare(stablehlo::ComparisonDirection direction, Value x, Value y);
  // The predicate is a scalar or has the shape of the other operands.
  Value select(Value predicate, Value onTrue, Value onFalse);
  Value convert(Value x, mlir::Type element);
  // Returns the same bits in another type of equal width.
  Value bitcast(Value x, mlir::Type element);

  //===-- data movement -----------------------------------------------------------------------===//

  Value reshape(Value x, Sizes shape);
  // Operand dimension i becomes result dimension `dimensions[i]`.
  Value broadcast(Value x, Sizes shape, Numbers dimensions = {});
  // Repeats the element of a dimension of size one until it has size `size`. Whether the dimension
  // already has that size may be known only at run time; if so, keeps it.
  Value repeat(Value x, int64_t dimension, const Size &size);
  Value transpose(Value x, Numbers permutation);
  Value slice(Value x, Numbers start, Numbers limit, Numbers strides);
  // Returns the elements at multiples of `strides`, beginning with the first; the result has shape
  // `shape`.
  Value everyOf(Value x, Sizes shape, Sizes strides);
  // Returns the elements at indices [start, limit) of one dimension.
  Value slice(Value x, int64_t dimension, int64_t start, int64_t limit);
  Value concatenate(mlir::ValueRange values, int64_t dimension);
  // Adds zeros before and after the elements of one dimension; negative amounts remove elements.
  Value pad(Value x, int64_t dimension, int64_t low, int64_t high);

  // Returns the same values behind an optimization barrier: no reader is fused with them.
  llvm::SmallVector<Value> barrier(mlir::ValueRange values);

  //===-- reductions --------------------------------------------------------------------------===//

  // Sums over dimensions, starting from zero.
  Value sum(Value x, Numbers dimensions);
  // Returns the maximum of 0 and all elements along dimensions.
  Value largest(Value x, Numbers dimensions);

  //===-- slices and gathers at computed indices ----------------------------------------------===//

  // `starts` are scalars, one per dimension; slices beyond the tensor's end are moved inside.
  Value dynamicSlice(Value x, mlir::ValueRange starts, Sizes sizes);
  Value dynamicUpdate(Value x, Value update, mlir::ValueRange starts);
  // Returns the slice at one index of a dimension and drops the dimension.
  Value sliceAt(Value x, int64_t dimension, Value index);
  Value updateAt(Value x, Value slice, int64_t dimension, Value index);
  // Gathers elements of a one-dimensional tensor at indices of any shape.
  Value take(Value list, Value indices);

  //===-- loops -------------------------------------------------------------------------------===//

  using Carried = llvm::SmallVector<Value>;
  using MakeCarried = llvm::function_ref<Carried(TensorBuilder &, mlir::ValueRange)>;
  using MakeValue = llvm::function_ref<Value(TensorBuilder &, mlir::ValueRange)>;

  // Performs: while (holds(carried)) carried = next(carried)
  Carried whileLoop(mlir::ValueRange initial, MakeValue holds, MakeCarried next);
  // Performs, for each i below the i64 scalar `count`: carried = next(i, carried)
  using MakeNext = llvm::function_ref<Carried(TensorBuilder &, Value, mlir::ValueRange)>;
  Carried countedLoop(Value count, mlir::ValueRange initial, MakeNext next);

private:
  template <typename Op> Value reduced(Value x, Value initial, Numbers dimensions);

  mlir::OpBuilder builder;
  mlir::Location loc;
};

} // namespace drumlin

// Programs whose sizes are known only at run time (docs/dynamic-shapes.md).
//
// Each size is an expression over symbols. The shape of a type has the sizes at the nominal values
// of the symbols, which determine costs and schedules. The encoding of the type, sizes::SizesAttr,
// has the expressions for the sizes at run time: `tensor<97x16xf32, #sizes.of<"b, 16">>`. A type
// without such an encoding has the same sizes at every call.
#pragma once

#include "drumlin/ir/sizes/Size.h"
#include "drumlin/ir/sizes/SizesDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include <limits>

namespace drumlin {

// The largest value of a symbol: the largest size that get_dimension_size can return.
inline constexpr int64_t maxSymbolValue = std::numeric_limits<int32_t>::max();

struct SizeSymbol {
  std::string name;
  int64_t nominal = 0;
  int64_t minimum = 0, maximum = maxSymbolValue; // inclusive

  bool operator==(const SizeSymbol &) const = default;
};

// A condition on the symbols that holds at every valid call: `size == 0` or `size >= 0`.
struct SizeConstraint {
  SizeExpression size;
  bool isZero = false;

  std::string str() const { return size.str() + (isZero ? " == 0" : " >= 0"); }
  static std::optional<SizeConstraint> parse(llvm::StringRef text);
};

// Attributes of the entry: its symbols, and additional constraints on them.
inline constexpr llvm::StringLiteral sizeSymbolsAttribute = "sizes.symbols";
inline constexpr llvm::StringLiteral sizeConstraintsAttribute = "sizes.constraints";

// Attribute of an operation with other attributes that depend on symbolic sizes. It maps the names
// of these attributes to their symbolic values.
inline constexpr llvm::StringLiteral sizedAttributes = "sizes.attributes";

// Returns the symbolic values of an attribute whose nominal values are `nominal`.
std::vector<SizeExpression> symbolicSizesOf(mlir::Operation *op, llvm::StringRef attribute,
                                            llvm::ArrayRef<int64_t> nominal);

// Sets the symbolic values of an attribute, unless all of them are constants.
void setSymbolicSizes(mlir::Operation *op, llvm::StringRef attribute,
                      const std::vector<SizeExpression> &sizes);

// Returns the symbols of the entry; none for a program of static sizes.
std::vector<SizeSymbol> sizeSymbolsOf(mlir::func::FuncOp entry);
std::vector<SizeConstraint> sizeConstraintsOf(mlir::func::FuncOp entry);
void setSizeSymbols(mlir::func::FuncOp entry, llvm::ArrayRef<SizeSymbol> symbols,
                    llvm::ArrayRef<SizeConstraint> constraints);
SizeExpression::Values nominalValues(llvm::ArrayRef<SizeSymbol> symbols);

// Whether a tensor's sizes at a call may differ from the sizes in its type.
bool hasSymbolicSizes(mlir::Type type);
// Whether a type has a dimension with neither a static nor a nominal size: `tensor<?xf32>`. After
// the phase `simplify`, there are no such types (pass `resolve-sizes`). Costs are computed only
// after this phase.
bool hasUnknownSizes(mlir::Type type);
// Returns the first operation in `root`, including `root`, that has a result or a region argument
// of a type with unknown sizes; null if there is none.
mlir::Operation *findUnknownSizes(mlir::Operation *root);
// Returns the names of the symbols on which types and attributes inside of an operation depend, in
// order.
std::vector<std::string> sizeSymbolsIn(mlir::Operation *root);
// Returns the size of each dimension as an expression.
std::vector<SizeExpression> symbolicSizesOf(mlir::RankedTensorType type);
std::vector<SizeExpression> symbolicSizesOf(mlir::Value value);
// Returns the sizes of all dimensions with their nominal values.
std::vector<Size> sizesOf(mlir::RankedTensorType type);
// Returns the type with these sizes, whose nominal values are `shape`.
mlir::RankedTensorType typeOfSizes(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                                   const std::vector<SizeExpression> &sizes);
// Returns a type with the element type of `like` and these sizes, whose nominal values follow from
// the symbols' values `values`. The type has no encoding if all sizes are constants. Returns
// nothing if a size has no nominal value, or a negative one.
std::optional<mlir::RankedTensorType> typeOfSizes(mlir::RankedTensorType like,
                                                  llvm::ArrayRef<SizeExpression> sizes,
                                                  const SizeExpression::Values &values);

} // namespace drumlin

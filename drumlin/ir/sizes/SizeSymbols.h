// Programs whose sizes are known when they run (docs/dynamic-shapes.md).
//
// Each size is an expression over symbols. A type says what its sizes are at a nominal value of
// each symbol, by which costs and schedules are chosen, and its encoding, sizes::SizesAttr, what
// they are at run time: `tensor<97x16xf32, #sizes.of<"b, 16">>`. A type without such an encoding
// has the same sizes at every call.
#pragma once

#include "drumlin/ir/sizes/Size.h"
#include "drumlin/ir/sizes/SizesDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include <limits>

namespace drumlin {

// The largest size that programs can ask for, as get_dimension_size gives it.
inline constexpr int64_t maxSymbolValue = std::numeric_limits<int32_t>::max();

struct SizeSymbol {
  std::string name;
  int64_t nominal = 0;
  int64_t minimum = 0, maximum = maxSymbolValue; // inclusive

  bool operator==(const SizeSymbol &) const = default;
};

// What holds of the symbols at every call that is allowed: `size == 0` or `size >= 0`.
struct SizeConstraint {
  SizeExpression size;
  bool isZero = false;

  std::string str() const { return size.str() + (isZero ? " == 0" : " >= 0"); }
  static std::optional<SizeConstraint> parse(llvm::StringRef text);
};

// On the entry: its symbols, and what holds of them besides.
inline constexpr llvm::StringLiteral sizeSymbolsAttribute = "sizes.symbols";
inline constexpr llvm::StringLiteral sizeConstraintsAttribute = "sizes.constraints";

// On an operation whose attributes depend on sizes: those attributes by their names, as sizes.
inline constexpr llvm::StringLiteral sizedAttributes = "sizes.attributes";

// An attribute that may hold sizes, of which these are the nominal ones.
std::vector<SizeExpression> symbolicSizesOf(mlir::Operation *op, llvm::StringRef attribute,
                                            llvm::ArrayRef<int64_t> nominal);

// Writes the sizes that an attribute has, unless all of them are constants.
void setSymbolicSizes(mlir::Operation *op, llvm::StringRef attribute,
                      const std::vector<SizeExpression> &sizes);

// None for a program of static sizes.
std::vector<SizeSymbol> sizeSymbolsOf(mlir::func::FuncOp entry);
std::vector<SizeConstraint> sizeConstraintsOf(mlir::func::FuncOp entry);
void setSizeSymbols(mlir::func::FuncOp entry, llvm::ArrayRef<SizeSymbol> symbols,
                    llvm::ArrayRef<SizeConstraint> constraints);
SizeExpression::Values nominalValues(llvm::ArrayRef<SizeSymbol> symbols);

// Whether a tensor has other sizes at some calls than its type says.
bool hasSymbolicSizes(mlir::Type type);
// Whether a type says no size of a dimension, nominal or not: `tensor<?xf32>`. Phase simplify
// leaves none (resolve-sizes); before it nothing has costs.
bool hasUnknownSizes(mlir::Type type);
// The first operation inside, or `root`, with a result or a region's argument of such a type; null
// where there is none.
mlir::Operation *findUnknownSizes(mlir::Operation *root);
// The names of the symbols that types and attributes inside of an operation depend on, in their
// order.
std::vector<std::string> sizeSymbolsIn(mlir::Operation *root);
// One expression for each dimension.
std::vector<SizeExpression> symbolicSizesOf(mlir::RankedTensorType type);
std::vector<SizeExpression> symbolicSizesOf(mlir::Value value);
// The same with their nominal values.
std::vector<Size> sizesOf(mlir::RankedTensorType type);
// The type of these sizes, which are those of `shape` at the nominal ones.
mlir::RankedTensorType typeOfSizes(mlir::Type element, llvm::ArrayRef<int64_t> shape,
                                   const std::vector<SizeExpression> &sizes);
// The type of these sizes, without an encoding where all of them are constants. Nothing where a
// size has no value, or a negative one.
std::optional<mlir::RankedTensorType> typeOfSizes(mlir::RankedTensorType like,
                                                  llvm::ArrayRef<SizeExpression> sizes,
                                                  const SizeExpression::Values &values);

} // namespace drumlin

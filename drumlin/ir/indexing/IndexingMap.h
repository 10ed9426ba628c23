// Maps from an element of a result to the elements of an operand from which it is computed.
//
// An indexing map takes the index of a result element and returns the index of an operand element,
// as affine expressions (sums, products with constants, quotients rounded down, remainders).
// Symbols stand for parts of an index that do not follow from the result's index: all positions
// along a contracting dimension or a window, or an index that is an element of another tensor (in a
// gather). Constraints restrict the result indices and symbols for which an element is read: an
// element of a concatenation reads one of its operands, and padding reads none. The maps resemble
// the indexing maps of XLA (see its document "Indexing analysis") and of MLIR's linalg dialect.
#pragma once

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"

#include <functional>
#include <optional>
#include <vector>

namespace drumlin {

class IndexingMap {
public:
  // A variable with the values 0 … size - 1.
  struct Symbol {
    int64_t size = 0;
    // The tensor of integers that has the symbol's value as its element at index `at`. `at` is a
    // map of the same dimensions and of the symbols before this one. Null: the operand is read at
    // all values of the symbol.
    mlir::Value source;
    mlir::AffineMap at;

    bool isKnownAtRunTime() const { return bool(source); }
    bool operator==(const Symbol &) const = default;
  };
  // A condition low <= expression <= high. Nothing is read if it does not hold.
  struct Constraint {
    mlir::AffineExpr expression;
    int64_t low = 0, high = 0;

    bool operator==(const Constraint &) const = default;
  };

  // Simplifies the map. `map` maps an index of the result, of shape `sizes`, to an index of the
  // operand, of shape `operandSizes`.
  IndexingMap(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> operandSizes,
              mlir::AffineMap map, std::vector<Symbol> symbols = {},
              std::vector<Constraint> constraints = {});

  // Returns the map to the element at the result's own index.
  static IndexingMap identity(llvm::ArrayRef<int64_t> sizes, mlir::MLIRContext *context);
  // Returns the map to every element of the operand.
  static IndexingMap whole(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> operandSizes,
                           mlir::MLIRContext *context);

  // Returns the map of a reshape: the element at the same row-major position.
  static IndexingMap reshape(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> operandSizes,
                             mlir::MLIRContext *context);
  static IndexingMap nothing(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> operandSizes,
                             mlir::MLIRContext *context);

  // Composes the maps: returns the map from this map's result to `producer`'s operand. This map's
  // operand must be the result of `producer`.
  IndexingMap followedBy(const IndexingMap &producer) const;

  llvm::ArrayRef<int64_t> sizes() const { return resultSizes; }
  llvm::ArrayRef<int64_t> operandSizes() const { return readSizes; }
  mlir::AffineMap map() const { return affine; }
  llvm::ArrayRef<Symbol> symbols() const { return symbolList; }
  llvm::ArrayRef<Constraint> constraints() const { return constraintList; }

  // Returns the same map without its constraints; its symbols keep their numbers.
  IndexingMap unconstrained() const;

  // Returns the same map, marked as correct only at the nominal sizes (ir/sizes). Maps composed
  // from a marked map are marked, too. Code must not be generated from a marked map.
  IndexingMap ofNominalSizes() const;
  bool holdsAtAllSizes() const { return !isNominal; }

  // Whether no index of the result reads anything.
  bool readsNothing() const { return isEmpty; }
  // Whether the map has no symbols and no constraints, so that exactly one element is read for each
  // index of the result.
  bool isPure() const { return !isEmpty && symbolList.empty() && constraintList.empty(); }
  bool isIdentity() const;

  // Returns the row-major position of an index, given as expressions of the map's dimensions and
  // symbols.
  mlir::AffineExpr position(llvm::ArrayRef<mlir::AffineExpr> index,
                            llvm::ArrayRef<int64_t> sizes) const;
  // Returns the row-major position, in the operand, of the element that is read.
  mlir::AffineExpr position() const { return position(affine.getResults(), readSizes); }

  // Whether each result element is the operand element at the same row-major position: a reshape.
  bool keepsPositions() const;
  // Returns, for each result dimension, the operand dimension that it indexes; -1 if the operand's
  // index does not depend on it, as for dimensions of one element. Nothing if an operand index
  // depends on several result dimensions (a reshape), or if several operand indices depend on one
  // result dimension (a diagonal).
  std::optional<llvm::SmallVector<int64_t>> operandDimensions() const;
  // Whether the operand's dimensions are in a different order than the result's.
  bool transposes() const;
  // Returns the map from the operand's index to the result's index if this map is a bijection that
  // reorders digits of a row-major position: a transpose, a reshape. Nothing otherwise.
  std::optional<IndexingMap> inverse() const;

  // Returns the bounds, both inclusive, of an expression of this map's dimensions and symbols.
  std::pair<int64_t, int64_t> range(mlir::AffineExpr expression) const;

  // Calls `read` with each operand index that is read for a result index. `load` returns the
  // elements of the symbols' tensors. The time is linear in the number of elements read, so the
  // function is for tests and small shapes.
  using Load = llvm::function_ref<int64_t(const Symbol &symbol, llvm::ArrayRef<int64_t> index)>;
  void forEachRead(llvm::ArrayRef<int64_t> index, Load load,
                   llvm::function_ref<void(llvm::ArrayRef<int64_t>)> read) const;

  // Returns a text such as `(d0, d1)[s0 < 8] -> (d1, s0) where 0 <= d0 - s0 <= 3`.
  std::string str() const;

  bool operator==(const IndexingMap &) const = default;

private:
  IndexingMap() = default;
  void simplify();
  std::vector<int64_t> symbolSizes() const;
  void dropUnusedSymbols();

  std::vector<int64_t> resultSizes, readSizes;
  mlir::AffineMap affine;
  std::vector<Symbol> symbolList;
  std::vector<Constraint> constraintList;
  bool isEmpty = false;
  bool isNominal = false;
};

// Builds a map dimension by dimension.
class IndexingBuilder {
public:
  // Starts with a map to the operand's first element; `at` changes its indices.
  IndexingBuilder(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> operandSizes,
                  mlir::MLIRContext *context);

  mlir::AffineExpr dim(size_t resultDimension) const;
  mlir::AffineExpr constant(int64_t value) const;
  // Returns a new symbol that reads every position below `size`.
  mlir::AffineExpr all(int64_t size);
  // Returns a position whose value is an element of `source`: the element at index `at`, clamped to
  // 0 … size - 1.
  mlir::AffineExpr load(mlir::Value source, llvm::ArrayRef<mlir::AffineExpr> at, int64_t size);
  void constrain(mlir::AffineExpr expression, int64_t low, int64_t high);
  // Returns the index of the element at a position of a dimension whose `size` elements are
  // `dilation` positions apart; constrains the map to positions that hold an element.
  mlir::AffineExpr undilated(mlir::AffineExpr position, int64_t dilation, int64_t size);
  // Returns a reference to the operand's index in a dimension, for assignment.
  mlir::AffineExpr &at(size_t operandDimension) { return index[operandDimension]; }

  IndexingMap finish() const;

private:
  mlir::MLIRContext *context;
  std::vector<int64_t> sizes, operandSizes;
  std::vector<mlir::AffineExpr> index;
  std::vector<IndexingMap::Symbol> symbols;
  std::vector<IndexingMap::Constraint> constraints;
};

// Returns the index in shape `to` of the element that has `index` in shape `from`; both shapes are
// row-major. Groups of dimensions that have the same number of elements in both shapes are
// converted separately.
std::vector<mlir::AffineExpr> reshapedIndex(llvm::ArrayRef<int64_t> from,
                                            llvm::ArrayRef<mlir::AffineExpr> index,
                                            llvm::ArrayRef<int64_t> to, mlir::MLIRContext *context);

} // namespace drumlin

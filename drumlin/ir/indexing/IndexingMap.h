// Which elements of an operand an element of a result is computed from.
//
// An indexing map takes the index of the result's element and gives the index of the operand's, in
// affine expressions (sums, products with constants, quotients rounded down, remainders). Symbols
// stand for what the result's index doesn't say: positions that are all read (a contracting
// dimension, a window), or an index that another tensor holds (a gather's). Constraints say for
// which of these an element is read at all: a concatenation reads one of its operands, padding
// reads none. Like the indexing maps of XLA (its document "Indexing analysis") and of MLIR's linalg
// dialect.
#pragma once

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"

#include <functional>
#include <optional>
#include <vector>

namespace drumlin {

class IndexingMap {
public:
  // Takes the values 0 … size - 1.
  struct Symbol {
    int64_t size = 0;
    // Null: elements at all of these values are read. Otherwise the element at one of them, which
    // this tensor of integers holds at the index that `at` gives: a map of the same dimensions, and
    // of the symbols before this one.
    mlir::Value source;
    mlir::AffineMap at;

    bool isKnownAtRunTime() const { return bool(source); }
    bool operator==(const Symbol &) const = default;
  };
  // Nothing is read unless low <= expression <= high.
  struct Constraint {
    mlir::AffineExpr expression;
    int64_t low = 0, high = 0;

    bool operator==(const Constraint &) const = default;
  };

  // `sizes`: of the result's dimensions. The map's results are the operand's dimensions, whose
  // sizes are `operandSizes`. Simplifies.
  IndexingMap(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> operandSizes,
              mlir::AffineMap map, std::vector<Symbol> symbols = {},
              std::vector<Constraint> constraints = {});

  // The element at the result's own index.
  static IndexingMap identity(llvm::ArrayRef<int64_t> sizes, mlir::MLIRContext *context);
  // Every element of the operand.
  static IndexingMap whole(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> operandSizes,
                           mlir::MLIRContext *context);

  // The same elements under another shape.
  static IndexingMap reshape(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> operandSizes,
                             mlir::MLIRContext *context);
  static IndexingMap nothing(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> operandSizes,
                             mlir::MLIRContext *context);

  // What this map's result is computed from where its operand is the result of `producer`: first
  // this map, then that one.
  IndexingMap followedBy(const IndexingMap &producer) const;

  llvm::ArrayRef<int64_t> sizes() const { return resultSizes; }
  llvm::ArrayRef<int64_t> operandSizes() const { return readSizes; }
  mlir::AffineMap map() const { return affine; }
  llvm::ArrayRef<Symbol> symbols() const { return symbolList; }
  llvm::ArrayRef<Constraint> constraints() const { return constraintList; }

  // The same map without its constraints; its symbols keep their numbers.
  IndexingMap unconstrained() const;

  // The same map, of whose numbers some are right at the nominal sizes alone (ir/sizes). So are
  // maps that are made of it; no code may be.
  IndexingMap ofNominalSizes() const;
  bool holdsAtAllSizes() const { return !isNominal; }

  // For no index of the result is anything read.
  bool readsNothing() const { return isEmpty; }
  // One element for each index of the result, and none twice: no symbols, no constraints.
  bool isPure() const { return !isEmpty && symbolList.empty() && constraintList.empty(); }
  bool isIdentity() const;

  // The row-major position of an index, given in expressions of this map's dimensions and symbols.
  mlir::AffineExpr position(llvm::ArrayRef<mlir::AffineExpr> index,
                            llvm::ArrayRef<int64_t> sizes) const;
  // The map's own, in the operand.
  mlir::AffineExpr position() const { return position(affine.getResults(), readSizes); }

  // Whether each element of the result is the operand's at the same row-major position: a reshape.
  bool keepsPositions() const;
  // The dimension of the operand that each of the result's runs along; -1 for one of which the
  // operand's index says nothing, as for those of one element. Nothing where an index of the
  // operand depends on several dimensions or several on one: a reshape, a diagonal.
  std::optional<llvm::SmallVector<int64_t>> operandDimensions() const;
  // Whether these come in another order than the operand's.
  bool transposes() const;
  // From the operand's index to the result's, where the map is a bijection that reorders digits of
  // a row-major position: a transpose, a reshape. Nothing otherwise.
  std::optional<IndexingMap> inverse() const;

  // The smallest and the largest value of an expression of this map's dimensions and symbols.
  std::pair<int64_t, int64_t> range(mlir::AffineExpr expression) const;

  // Calls `read` with each index of the operand that is read for a result's index. `load` gives the
  // elements of the symbols' tensors. For tests, and for small shapes: linear in what is read.
  using Load = llvm::function_ref<int64_t(const Symbol &symbol, llvm::ArrayRef<int64_t> index)>;
  void forEachRead(llvm::ArrayRef<int64_t> index, Load load,
                   llvm::function_ref<void(llvm::ArrayRef<int64_t>)> read) const;

  // `(d0, d1)[s0 < 8] -> (d1, s0) where 0 <= d0 - s0 <= 3`.
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

// Writes a map dimension by dimension.
class IndexingBuilder {
public:
  // Reads the operand's first element until `at` says otherwise.
  IndexingBuilder(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> operandSizes,
                  mlir::MLIRContext *context);

  mlir::AffineExpr dim(size_t resultDimension) const;
  mlir::AffineExpr constant(int64_t value) const;
  // Every value below `size`.
  mlir::AffineExpr all(int64_t size);
  // The element of `source` at an index, brought into 0 … size - 1.
  mlir::AffineExpr load(mlir::Value source, llvm::ArrayRef<mlir::AffineExpr> at, int64_t size);
  void constrain(mlir::AffineExpr expression, int64_t low, int64_t high);
  // The element of a dimension of `size` elements that lies at a position where they lie `dilation`
  // apart; nothing is read where none does.
  mlir::AffineExpr undilated(mlir::AffineExpr position, int64_t dilation, int64_t size);
  // The operand's index in a dimension.
  mlir::AffineExpr &at(size_t operandDimension) { return index[operandDimension]; }

  IndexingMap finish() const;

private:
  mlir::MLIRContext *context;
  std::vector<int64_t> sizes, operandSizes;
  std::vector<mlir::AffineExpr> index;
  std::vector<IndexingMap::Symbol> symbols;
  std::vector<IndexingMap::Constraint> constraints;
};

// The index of a shape's element as it is numbered row-major, and the reverse. Of dimensions that
// two shapes cut alike, each is left by itself.
std::vector<mlir::AffineExpr> reshapedIndex(llvm::ArrayRef<int64_t> from,
                                            llvm::ArrayRef<mlir::AffineExpr> index,
                                            llvm::ArrayRef<int64_t> to, mlir::MLIRContext *context);

} // namespace drumlin

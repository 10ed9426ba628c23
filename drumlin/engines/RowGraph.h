// Which values of a program follow each other in how they lie in memory, and which products and
// results ask for what: the problem of which dimension the rows of each value run along, without
// the orders in which the program happens to spell its dimensions. Transposes and reshapes are only
// other ways to number the elements of one value here.
#pragma once

#include "drumlin/ir/indexing/StridedView.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace drumlin {

// Where a value's rows run: the distance of neighbours along it, counted in the elements of the
// value's shape in row-major order. 1: along its last dimension, as the program has it.
using RowStride = int64_t;
// No rows: each element of a vector lies on a partition of its own.
inline constexpr RowStride noRow = 0;

// A tensor as it is read: the elements of a value, numbered in another way.
struct RowReading {
  size_t value = 0;
  StridedView view; // of the value's elements in row-major order
};

// A value whose rows have to run as those of another one do, where both have the dimension.
struct RowLink {
  RowReading from;
  // The dimension of `from` that each of the follower's dimensions is; -1: none.
  llvm::SmallVector<int64_t> dimensions;
};

// What an operation asks of a value that it reads.
struct RowNeed {
  size_t value = 0;
  mlir::Operation *reader = nullptr; // a return for what the caller asks for
  unsigned operand = 0;
  // Of a product: its rows have to run along one of these; along none of them where there are none.
  bool isProduct = false;
  std::vector<StridedFactor> free, summed;
  int64_t contracted = 1; // elements of the value in one sum
  // Of everything else: the row it reads.
  RowStride row = 1;

  bool isMetBy(RowStride lies) const;
  bool contracts(RowStride lies) const; // rows run along what is contracted
};

struct RowValue {
  enum Kind {
    Given,   // rows run as the program says: arguments, and results of what knows row-major only
    Chosen,  // made in any order: by a product, or for a caller who leaves it open
    Follows, // made from other values, element by element
    Static,  // the same at every call, transposed once before the first
  } kind = Given;
  mlir::Value value; // with the dimensions that strides refer to
  // The shape in memory of an argument that is passed in another order; else the value's.
  llvm::SmallVector<int64_t> shape;
  int64_t calls = 1;
  int64_t batch = 1; // elements of a product's batch dimensions, along which rows can't run
  std::vector<RowLink> links;
  // Strides at which dimensions begin, of the value and of every reading of it, ascending.
  std::vector<RowStride> starts;

  int64_t elements() const;
  // Of the dimension in which rows run so; 1 for noRow.
  int64_t extentAlong(RowStride row) const;
};

struct RowGraph {
  std::vector<RowValue> values; // in program order
  std::vector<RowNeed> needs;
  llvm::DenseMap<mlir::Value, RowReading> readings; // of every tensor
  // Dots and convolutions with the number of their calls.
  std::vector<std::pair<mlir::Operation *, int64_t>> products;
};

// Of a module whose calls are inlined. What is one dimension of a value is one of all that it
// follows, and that follow it.
RowGraph buildRowGraph(mlir::ModuleOp module);

// What a dimension of an operand is for a dot or convolution.
enum class DimensionRole { Batch, Free, Contracted };
llvm::SmallVector<DimensionRole> rolesOf(mlir::Operation *product, unsigned operand);

// Through a link: the row of what is followed that is this row of the follower, and the reverse;
// nothing where it hasn't that dimension.
std::optional<RowStride> rowBehind(const RowLink &link, llvm::ArrayRef<int64_t> follower,
                                   RowStride row);
std::optional<RowStride> rowAhead(const RowLink &link, llvm::ArrayRef<int64_t> follower,
                                  RowStride row);

} // namespace drumlin

// The constraints on the layouts of values on a tensor engine: which values must have the same
// order in memory, and which order dots, convolutions and results need. The problem is to choose,
// for each value, the dimension along which its rows run, whatever order of dimensions the program
// uses. Here, the result of a transpose or reshape isn't a value of its own: it is the operand's
// value with the elements numbered differently.
#pragma once

#include "drumlin/ir/indexing/StridedView.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace drumlin {

// The dimension along which a value's rows (its contiguous elements in memory) run. The dimension
// is given by its stride, in elements, in the row-major order of the value's shape: 1 is the last
// dimension, as in the program.
using RowStride = int64_t;
// The RowStride of a vector that has no rows: each of its elements is on its own partition.
inline constexpr RowStride noRow = 0;

// A tensor of the program as a view of a value: the value's elements, possibly numbered
// differently.
struct RowReading {
  size_t value = 0;
  StridedView view; // how the tensor's elements are numbered in the value's row-major order
};

// A link from a value (the follower) to a value from which the follower is computed (`from`). If
// both values have the dimension along which the rows of one run, the rows of both must run along
// it.
struct RowLink {
  RowReading from;
  // For each dimension of the follower, the corresponding dimension of `from`; -1: none.
  llvm::SmallVector<int64_t> dimensions;
};

// A need of an operation that reads a value: along which dimension the value's rows must run.
struct RowNeed {
  size_t value = 0;
  mlir::Operation *reader = nullptr; // the return operation if the caller needs the rows
  unsigned operand = 0;
  // For a dot or convolution: the value's rows must run along one of the factors in `free`. If
  // `free` is empty, the value must have no rows.
  bool isProduct = false;
  std::vector<StridedFactor> free, summed;
  int64_t contracted = 1; // how many of the value's elements one dot product sums
  // For other readers: the stride of the dimension along which the rows must run.
  RowStride row = 1;

  bool isMetBy(RowStride lies) const;
  bool contracts(RowStride lies) const; // whether these rows run along a contracted dimension
};

struct RowValue {
  enum Kind {
    Given,   // rows are fixed: arguments, and results of row-major-only operations
    Chosen,  // any rows: results of dots and convolutions, arguments whose layout is left open
    Follows, // computed from other values, element by element
    Static,  // the same at every call; transposed once, before the first call
  } kind = Given;
  mlir::Value value; // strides refer to this value's dimensions
  // The value's shape; for an argument that is passed with its dimensions in another order, the
  // shape in memory.
  llvm::SmallVector<int64_t> shape;
  int64_t calls = 1;
  int64_t batch = 1; // size of a dot's batch dimensions; rows can't run along these
  std::vector<RowLink> links;
  // The strides of all dimensions of the value and of its readings, ascending.
  std::vector<RowStride> starts;

  int64_t elements() const;
  // Returns the size of the dimension along which rows of stride `row` run; 1 for noRow.
  int64_t extentAlong(RowStride row) const;
};

struct RowGraph {
  std::vector<RowValue> values; // in program order
  std::vector<RowNeed> needs;
  llvm::DenseMap<mlir::Value, RowReading> readings; // the reading of every tensor of the program
  // Dots and convolutions; each with how often it runs in one run of the program.
  std::vector<std::pair<mlir::Operation *, int64_t>> products;
};

// Builds the graph of a module whose calls are inlined. The strides in `starts` are propagated
// along all links, in both directions.
RowGraph buildRowGraph(mlir::ModuleOp module);

// The role of an operand's dimension in a dot or convolution.
enum class DimensionRole { Batch, Free, Contracted };
llvm::SmallVector<DimensionRole> rolesOf(mlir::Operation *product, unsigned operand);

// Map the dimension along which rows run through a link: rowBehind() from the follower to the
// followed value, rowAhead() from the followed value to the follower. Both return nullopt if the
// value to which they map lacks the dimension.
std::optional<RowStride> rowBehind(const RowLink &link, llvm::ArrayRef<int64_t> follower,
                                   RowStride row);
std::optional<RowStride> rowAhead(const RowLink &link, llvm::ArrayRef<int64_t> follower,
                                  RowStride row);

} // namespace drumlin

// The constraints on row directions: which values must share their order in memory, and which order
// dots, convolutions and results need. The problem is to choose the dimension along which each
// value's rows run, independent of how the program orders dimensions. Transposes and reshapes are
// only other numberings of one value's elements here.
#pragma once

#include "drumlin/ir/indexing/StridedView.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace drumlin {

// The dimension along which a value's rows run, as the distance of neighbours in a row, counted in
// elements of the value's shape in row-major order. 1: the last dimension, as in the program.
using RowStride = int64_t;
// No rows: each element of a vector is on its own partition.
inline constexpr RowStride noRow = 0;

// A tensor as it is read: a renumbering of the elements of a value.
struct RowReading {
  size_t value = 0;
  StridedView view; // of the value's elements in row-major order
};

// The value whose rows a follower must share if both have the dimension.
struct RowLink {
  RowReading from;
  // For each dimension of the follower, the corresponding dimension of `from`; -1: none.
  llvm::SmallVector<int64_t> dimensions;
};

// The rows that an operation needs of a value that it reads.
struct RowNeed {
  size_t value = 0;
  mlir::Operation *reader = nullptr; // a return for rows that the caller needs
  unsigned operand = 0;
  // For a dot or convolution: rows must run along one of the `free` factors; if empty, along none.
  bool isProduct = false;
  std::vector<StridedFactor> free, summed;
  int64_t contracted = 1; // elements of the value per dot product
  // For other readers: the row that they read.
  RowStride row = 1;

  bool isMetBy(RowStride lies) const;
  bool contracts(RowStride lies) const; // whether rows run along a contracted dimension
};

struct RowValue {
  enum Kind {
    Given,   // rows are fixed: arguments, and results of row-major-only operations
    Chosen,  // in any order: results of dots and convolutions, or arguments left open
    Follows, // computed from other values, element by element
    Static,  // the same at every call, transposed once before the first
  } kind = Given;
  mlir::Value value; // strides refer to its dimensions
  // The shape in memory, if an argument is passed in another order; else the value's shape.
  llvm::SmallVector<int64_t> shape;
  int64_t calls = 1;
  int64_t batch = 1; // elements of a dot's batch dimensions; rows can't run along them
  std::vector<RowLink> links;
  // Strides at which dimensions begin, in the value and in all its readings, ascending.
  std::vector<RowStride> starts;

  int64_t elements() const;
  // Returns the extent of the dimension along which these rows run; 1 for noRow.
  int64_t extentAlong(RowStride row) const;
};

struct RowGraph {
  std::vector<RowValue> values; // in program order
  std::vector<RowNeed> needs;
  llvm::DenseMap<mlir::Value, RowReading> readings; // for every tensor
  // Dots and convolutions, each with the number of its calls.
  std::vector<std::pair<mlir::Operation *, int64_t>> products;
};

// Builds the graph of a module whose calls are inlined. Dimensions are matched along all links,
// from followed values to followers and back.
RowGraph buildRowGraph(mlir::ModuleOp module);

// The role of an operand's dimension in a dot or convolution.
enum class DimensionRole { Batch, Free, Contracted };
llvm::SmallVector<DimensionRole> rolesOf(mlir::Operation *product, unsigned operand);

// Maps a row through a link: from the follower to the followed value (behind), or the reverse
// (ahead); nullopt if the other value lacks the dimension.
std::optional<RowStride> rowBehind(const RowLink &link, llvm::ArrayRef<int64_t> follower,
                                   RowStride row);
std::optional<RowStride> rowAhead(const RowLink &link, llvm::ArrayRef<int64_t> follower,
                                  RowStride row);

} // namespace drumlin

// Index algebra of emitted kernels. A kernel computes `lanes` elements at a time. Each lane's index
// is kept symbolic as long as possible: a scalar base plus a constant per lane, usually a multiple
// of the lane's number. A load or store accesses one contiguous vector if each lane's constant is
// the lane's number, and only then.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/indexing/LaneForm.h"
#include "drumlin/support/Tensor.h"
#include "drumlin/target/Lanes.h"
#include "llvm/IR/IRBuilder.h"

#include <deque>

namespace drumlin::codegen {

// One index per lane. The index of lane l is `base` plus constant number l of `form`. If `form`
// varies, the index is element l of `vector` instead.
struct LaneIndex {
  llvm::Value *base = nullptr; // i64; null if `vector` is set
  LaneForm form;
  llvm::Value *vector = nullptr; // <width x i64>, if the lanes' offsets aren't constants
  // Whether the first lanes may have negative indices. Such lanes read nothing, and their results
  // are unused. Lanes with valid indices may follow, so a negative base is handled like any other
  // base.
  bool mayBeginNegative = false;
  // Whether all lanes may be out of bounds; no result is used then. Loads of one element for all
  // lanes are unmasked, so a uniform index that may be out of bounds is clamped first.
  bool mayLeave = false;

  bool isUniform() const { return form.isUniform(); }
  bool isContiguous() const { return form.isContiguous(); }
};

// The size of a dimension in emitted code: a constant, or an i64 that the code computes from the
// sizes of the call. Unlike drumlin::Size it has no nominal value.
struct Extent {
  std::optional<int64_t> known;
  llvm::Value *value = nullptr; // i64, if `known` isn't set

  Extent(int64_t size) : known(size) {} // NOLINT(google-explicit-constructor): numbers are sizes
  explicit Extent(llvm::Value *value) : value(value) {}

  bool is(int64_t size) const { return known == size; }
};
using Extents = llvm::SmallVector<Extent, 4>;
// Returns the extents of a shape whose sizes are all known at compile time.
Extents knownExtents(llvm::ArrayRef<int64_t> shape);
// Returns whether all strides are known at compile time. Only the outermost dimension of more than
// one element may then have a size known only at run time.
bool hasKnownStrides(llvm::ArrayRef<Extent> shape);

// Returns the size of a dilated dimension: size = 0 ? 0 : (size - 1) * dilation + 1.
inline int64_t dilatedSize(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

// An index into a shape, by dimension, by row-major position, or both; the missing form is computed
// on demand. The index into a dimension of one element is zero.
//
// A chain of data movement operations is kept as one map from the index at its start, and the
// combined map is simplified: a slice of a reshape computes only the quotients that the combined
// map needs.
struct IndexTuple {
  Extents shape;
  const IndexTuple *origin = nullptr;      // index at the start of the map chain; has known dims
  std::optional<IndexingMap> map;          // maps the origin's index to this index
  llvm::SmallVector<LaneIndex, 2> symbols; // values of the map's symbols

  llvm::SmallVector<LaneIndex, 4> dims; // empty until computed (always empty for rank zero)
  std::optional<LaneIndex> linear;
  bool hasDims = false;
  // Whether all lanes have this index by construction. This flag determines how elements at this
  // index are computed (ElementEmitter::emit()), so it doesn't depend on which forms are already
  // known.
  bool isUniform = false;
};

// Creates index expressions. Owns the tuples that it returns. A tuple is valid in code that is
// dominated by the position at which the tuple, or its missing form, was created. Code that doesn't
// dominate the code after it, such as a branch, needs a new IndexBuilder.
class IndexBuilder {
public:
  explicit IndexBuilder(llvm::IRBuilder<> &builder) : builder(builder) {}

  // Returns the number of lanes of every vector.
  unsigned width() const { return vectorWidth; }
  void setWidth(unsigned width) { vectorWidth = width; }
  // Promises that no index reaches 2^31, so that vectors of indices are divided as 32-bit numbers.
  // There is no vector instruction for division at 32 or 64 bits, and the 32-bit expansion is
  // several times shorter.
  void setNarrow(bool narrow) { isNarrow = narrow; }

  LaneIndex constant(int64_t value) const;
  LaneIndex scalar(llvm::Value *value, int64_t alignment = 1) const;
  LaneIndex scalar(llvm::Value *value, const LaneForm &form) const; // `form` must be uniform
  // Returns base + lane: the innermost loop's index.
  LaneIndex laneOf(llvm::Value *base, int64_t alignment = 1) const;
  LaneIndex fromVector(llvm::Value *vector, bool mayLeave = false) const;

  LaneIndex add(const LaneIndex &a, const LaneIndex &b);
  LaneIndex addConstant(const LaneIndex &a, int64_t c);
  LaneIndex multiply(const LaneIndex &a, int64_t c);
  LaneIndex divide(const LaneIndex &a, int64_t c); // `a` may be negative only if a.mayBeginNegative
  LaneIndex remainder(const LaneIndex &a, int64_t c);
  // Overloads for a factor or divisor that the emitted code computes as i64.
  LaneIndex multiply(const LaneIndex &a, llvm::Value *c);
  LaneIndex divide(const LaneIndex &a, llvm::Value *c);
  LaneIndex remainder(const LaneIndex &a, llvm::Value *c);
  // Returns the product of the sizes; 1 if there are none.
  Extent product(llvm::ArrayRef<Extent> sizes);
  llvm::Value *asValue(const Extent &size);
  // Returns `a`, marked to say that all of its lanes may be outside of [0, size), in which case no
  // result is used. A uniform index is clamped here. A varying index is clamped later, where a
  // uniform index is derived from it.
  LaneIndex leaving(const LaneIndex &a, const Extent &size);
  // Returns the conjunction of two conditions, each of which is uniform or per lane.
  llvm::Value *both(llvm::Value *a, llvm::Value *b);
  llvm::Value *asVector(const LaneIndex &a);
  // Returns a scalar i64 if the index is uniform, else a vector.
  llvm::Value *asValue(const LaneIndex &a) { return a.isUniform() ? a.base : asVector(a); }
  // Returns asValue() of an index that fits into 32 bits, as 32-bit numbers if that needs no
  // conversion.
  llvm::Value *asNarrowValue(const LaneIndex &a);

  const IndexTuple *tuple(Extents shape, llvm::ArrayRef<LaneIndex> dims);
  // Creates a tuple whose row-major position is known, too.
  const IndexTuple *tuple(Extents shape, llvm::ArrayRef<LaneIndex> dims, const LaneIndex &linear);
  const IndexTuple *tupleFromLinear(Extents shape, LaneIndex linear);
  // The operand index that a map computes from a result's index. ElementEmitter::emitSizedMove()
  // handles reads that depend on run-time sizes.
  struct Read {
    const IndexTuple *from = nullptr; // operand index; null: no lane reads anything
    llvm::Value *inside = nullptr;    // the lanes that read something; null: all
  };
  // Loads the value of a symbol; `at` is the value's index in its tensor.
  using Load = llvm::function_ref<LaneIndex(const IndexingMap::Symbol &symbol,
                                            llvm::ArrayRef<LaneIndex> at)>;
  // Returns the operand index that `map` computes from the result's index `at`. `shape`: the shape
  // of the tensor that is read.
  Read read(const IndexingMap &map, const IndexTuple *at, Extents shape, Load load);
  // Applies a map that has neither symbols nor constraints.
  const IndexTuple *along(const IndexingMap &map, const IndexTuple *at, Extents shape);

  llvm::ArrayRef<LaneIndex> dims(const IndexTuple *tuple);
  const LaneIndex &linear(const IndexTuple *tuple);

  llvm::IRBuilder<> &ir() { return builder; }

  // Returns whether code was emitted from a map with nominal sizes. Such code is wrong at other
  // sizes.
  bool hasNominalReads() const { return readsNominally; }

private:
  // Evaluates an expression of a map's dimensions and symbols at an index.
  LaneIndex evaluate(const IndexingMap &map, mlir::AffineExpr expression, const IndexTuple *at,
                     llvm::ArrayRef<LaneIndex> symbols);
  // Evaluates an index into a dimension that has `size` elements in the map and `extent` elements
  // in the emitted code.
  LaneIndex indexInto(int64_t size, const Extent &extent, mlir::AffineExpr expression,
                      const IndexTuple &tuple);
  LaneIndex brought(const LaneIndex &a, const Extent &size);
  LaneIndex linearOfDims(const IndexTuple &tuple);
  llvm::Value *wrap(llvm::Value *value, llvm::Value *by);
  llvm::Value *divideVector(llvm::Value *vector, int64_t c, bool wantRemainder);

  llvm::IRBuilder<> &builder;
  unsigned vectorWidth = lanes;
  bool isNarrow = false, readsNominally = false;
  std::deque<IndexTuple> tuples;
};

} // namespace drumlin::codegen

// Index algebra of emitted kernels. A kernel computes `lanes` elements at a time; what index each
// lane has is kept symbolic (a scalar base plus a constant of each lane, mostly a multiple of its
// number) as long as it can be, because loads and stores are contiguous vectors exactly where these
// are the lanes' numbers.
#pragma once

#include "drumlin/ir/indexing/IndexingMap.h"
#include "drumlin/ir/indexing/LaneForm.h"
#include "drumlin/support/Tensor.h"
#include "drumlin/target/Lanes.h"
#include "llvm/IR/IRBuilder.h"

#include <deque>

namespace drumlin::codegen {

// One index for each lane: a base and what the form says; or, where it says nothing, a vector of
// indices.
struct LaneIndex {
  llvm::Value *base = nullptr; // i64; null where each lane has an index of its own
  LaneForm form;
  llvm::Value *vector = nullptr; // <width x i64> where each lane has an index of its own
  // Lanes whose index is negative lie outside of what is read: nobody uses what is made of them.
  // Others may follow them, so that a negative base counts like any other.
  bool mayBeginNegative = false;
  // Whether all lanes may lie outside of what is read, none of them used. Loads of one element for
  // all lanes take no mask: where such an index is one, it is brought inside first.
  bool mayLeave = false;

  bool isUniform() const { return form.isUniform(); }
  bool isContiguous() const { return form.isContiguous(); }
};

// The size of a dimension in emitted code: a constant, or an i64 that the code computes from the
// sizes of the call. Unlike drumlin::Size it has no nominal value.
struct Extent {
  std::optional<int64_t> known;
  llvm::Value *value = nullptr; // i64, where it isn't known

  Extent(int64_t size) : known(size) {} // NOLINT(google-explicit-constructor): numbers are sizes
  explicit Extent(llvm::Value *value) : value(value) {}

  bool is(int64_t size) const { return known == size; }
};
using Extents = llvm::SmallVector<Extent, 4>;
// Of a shape without sizes that only the run tells.
Extents knownExtents(llvm::ArrayRef<int64_t> shape);
// Whether none of the strides depends on a size that only the run tells: such a size is the first
// of several elements.
bool hasKnownStrides(llvm::ArrayRef<Extent> shape);

// How many positions a dilated dimension has: size = 0 ? 0 : (size - 1) * dilation + 1.
inline int64_t dilatedSize(int64_t size, int64_t dilation) {
  return size == 0 ? 0 : (size - 1) * dilation + 1;
}

// An index into a shape, by dimension, by row-major position, or both; the missing form is computed
// when it is needed. In a dimension of one element it is zero.
//
// What data movement leads to is kept as one map from the index that they begin with, simplified as
// a whole: a slice of a reshape asks for no quotient that the two together don't need.
struct IndexTuple {
  Extents shape;
  const IndexTuple *origin = nullptr;      // its dims are known
  std::optional<IndexingMap> map;          // from the origin's index
  llvm::SmallVector<LaneIndex, 2> symbols; // of the map

  llvm::SmallVector<LaneIndex, 4> dims; // empty while not computed (unless the rank is zero)
  std::optional<LaneIndex> linear;
  bool hasDims = false;
  // Whether all lanes have this index, by construction. It says how elements at this index are
  // computed (ElementEmitter::emit()), so it doesn't depend on which forms are known yet.
  bool isUniform = false;
};

// Makes index expressions. Owns the tuples that it hands out; they are valid where the builder
// stood when they (or their missing form) were made, so a new IndexBuilder is begun for code that
// doesn't dominate what follows.
class IndexBuilder {
public:
  explicit IndexBuilder(llvm::IRBuilder<> &builder) : builder(builder) {}

  // The number of lanes of every vector.
  unsigned width() const { return vectorWidth; }
  void setWidth(unsigned width) { vectorWidth = width; }
  // Says that no index reaches 2^31, so that vectors of them are divided as 32-bit numbers: there
  // is no vector instruction for either, and the narrow one's expansion is several times shorter.
  void setNarrow(bool narrow) { isNarrow = narrow; }

  LaneIndex constant(int64_t value) const;
  LaneIndex scalar(llvm::Value *value, int64_t alignment = 1) const;
  LaneIndex scalar(llvm::Value *value, const LaneForm &form) const; // of a uniform one
  // base + lane: the innermost loop's index.
  LaneIndex laneOf(llvm::Value *base, int64_t alignment = 1) const;
  LaneIndex fromVector(llvm::Value *vector, bool mayLeave = false) const;

  LaneIndex add(const LaneIndex &a, const LaneIndex &b);
  LaneIndex addConstant(const LaneIndex &a, int64_t c);
  LaneIndex multiply(const LaneIndex &a, int64_t c);
  LaneIndex divide(const LaneIndex &a, int64_t c); // indices are not negative here
  LaneIndex remainder(const LaneIndex &a, int64_t c);
  // The same by an i64 that the code computes.
  LaneIndex multiply(const LaneIndex &a, llvm::Value *c);
  LaneIndex divide(const LaneIndex &a, llvm::Value *c);
  LaneIndex remainder(const LaneIndex &a, llvm::Value *c);
  // Of no sizes, 1.
  Extent product(llvm::ArrayRef<Extent> sizes);
  llvm::Value *asValue(const Extent &size);
  // An index of which no lane may be in 0 … size - 1, where nobody uses what is read. What all
  // lanes have is brought inside, here or where it follows from one that varies.
  LaneIndex leaving(const LaneIndex &a, const Extent &size);
  // Whether both hold, of conditions for all lanes or for each.
  llvm::Value *both(llvm::Value *a, llvm::Value *b);
  llvm::Value *asVector(const LaneIndex &a);
  // A scalar i64 where uniform, else a vector.
  llvm::Value *asValue(const LaneIndex &a) { return a.isUniform() ? a.base : asVector(a); }
  // The same of an index that fits into 32 bits: in as many where that takes no conversion.
  llvm::Value *asNarrowValue(const LaneIndex &a);

  const IndexTuple *tuple(Extents shape, llvm::ArrayRef<LaneIndex> dims);
  // The same of which the row-major position is known, too.
  const IndexTuple *tuple(Extents shape, llvm::ArrayRef<LaneIndex> dims, const LaneIndex &linear);
  const IndexTuple *tupleFromLinear(Extents shape, LaneIndex linear);
  // A map applied to a result's index. What reads by sizes is for ElementEmitter::emitSizedMove().
  struct Read {
    const IndexTuple *from = nullptr; // null: no lane reads anything
    llvm::Value *inside = nullptr;    // the lanes that read something; null: all
  };
  // The symbol's value, given the index at which its tensor holds it.
  using Load = llvm::function_ref<LaneIndex(const IndexingMap::Symbol &symbol,
                                            llvm::ArrayRef<LaneIndex> at)>;
  // `shape`: of what is read.
  Read read(const IndexingMap &map, const IndexTuple *at, Extents shape, Load load);
  // The same of a map that has neither symbols nor constraints.
  const IndexTuple *along(const IndexingMap &map, const IndexTuple *at, Extents shape);

  llvm::ArrayRef<LaneIndex> dims(const IndexTuple *tuple);
  const LaneIndex &linear(const IndexTuple *tuple);

  llvm::IRBuilder<> &ir() { return builder; }

  // Whether code was made of a map of nominal sizes: it is wrong at others.
  bool hasNominalReads() const { return readsNominally; }

private:
  // The value of an expression of a map's dimensions and symbols at an index.
  LaneIndex evaluate(const IndexingMap &map, mlir::AffineExpr expression, const IndexTuple *at,
                     llvm::ArrayRef<LaneIndex> symbols);
  // The same where it is an index into so many elements, as the map and the code have them.
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

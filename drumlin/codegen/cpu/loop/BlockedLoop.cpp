// Blocked traversals, which transpose blocks of operands in registers.
#include "drumlin/codegen/cpu/element/ElementEmitter.h"
#include "drumlin/codegen/cpu/element/TransposeLanes.h"
#include "drumlin/codegen/cpu/loop/TraversedGroup.h"

#include <numeric>

using namespace llvm;

namespace drumlin::codegen {

// A block: `positions` positions in the blocked dimension, from `first` on, × one full vector in
// the last dimension, from `base` on. Transposed operands are read along their own last dimension
// and transposed in registers. `first` is a multiple of `blockAlignment`, and `base` is a multiple
// of `alignment`.
namespace {
struct TransposedBlock {
  LaneIndex first;
  int64_t positions, blockAlignment;
  Value *base;
  int64_t alignment;
};
} // namespace

static void emitTransposedBlock(KernelFrame &frame, const TraversedGroup &group,
                                ArrayRef<LaneIndex> outer, const TransposedBlock &block) {
  static_assert(traverseBlock == lanes, "a block fills the registers that are transposed");
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  auto blocked = static_cast<size_t>(group.traversal.blockedDimension);
  SmallVector<Constant *> read;
  for (int64_t position = 0; position < lanes; ++position) {
    read.push_back(frame.builder.getInt1(position < block.positions));
  }
  e.setActiveLanes(block.positions < lanes ? ConstantVector::get(read) : nullptr);
  SmallVector<SmallVector<Value *>> columns;
  for (mlir::Operation *op : group.transposes) {
    SmallVector<Value *> rows;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      SmallVector<LaneIndex> result(outer);
      result[blocked] = index.laneOf(block.first.base, block.blockAlignment);
      result.push_back(index.addConstant(index.scalar(block.base), lane));
      rows.push_back(e.splat(e.emitShape(op, index.tuple(e.extents(group.sizes), result))->value));
    }
    transposeLanes(frame.builder, rows);
    columns.push_back(std::move(rows));
  }
  e.setActiveLanes(nullptr);
  for (unsigned position = 0; position < block.positions; ++position) {
    SmallVector<LaneIndex> dims(outer);
    dims[blocked] = index.addConstant(block.first, position);
    dims.push_back(index.laneOf(block.base, block.alignment));
    const IndexTuple *at = index.tuple(e.extents(group.sizes), dims);
    for (auto [op, values] : zip(group.transposes, columns)) {
      Value *value = values[position];
      e.bind(op->getResult(0), [&e, op = op, at, value](const IndexTuple *asked) {
        return asked == at ? Lanes{value} : *e.emitShape(op, asked);
      });
    }
    storeRoots(frame, group, at);
  }
  for (mlir::Operation *op : group.transposes) {
    e.unbind(op->getResult(0));
  }
}

namespace {
// One step of a blocked traversal. A step covers a block of positions in the blocked dimension, a
// piece of the last dimension, and one position in each of the other dimensions. Lanes run along
// the last dimension.
class BlockStep {
public:
  BlockStep(KernelFrame &frame, const TraversedGroup &group, Value *step)
      : frame(frame), group(group), e(frame.emitter), b(frame.builder),
        blocked(static_cast<size_t>(group.traversal.blockedDimension)),
        rowLength(group.sizes.back()) {
    std::vector<SizeExpression> sizes = group.sizes;
    for (auto [dimension, size] :
         {std::pair(blocked, traverseBlock), std::pair(sizes.size() - 1, traverseColumns)}) {
      sizes[dimension] = sizes[dimension].ceilQuotient(size);
    }
    outer = stepIndex(frame, sizes, step);
    begin = e.index().multiply(outer.pop_back_val(), traverseColumns).base;
    end = b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateAdd(begin, b.getInt64(traverseColumns)),
                                  e.extent(rowLength));
    first = e.index().multiply(outer[blocked], traverseBlock);
  }

  void emit() {
    std::optional<int64_t> extent = group.sizes[blocked].constant();
    bool isWhole = group.sizes[blocked].remainder(traverseBlock).constant() == int64_t(0) &&
                   rowLength.remainder(lanes).constant() == int64_t(0);
    // Instrumentation must count each element once, so no block may recompute elements.
    if (group.transposes.empty() || (e.isObserved() && !isWhole)) {
      emitLanes(e, begin, end, rowLength, LanesAgain::no, [&](Value *base, int64_t alignment) {
        emitPositions(base, alignment, traverseBlock);
      });
      return;
    }
    if (isWhole || *extent % traverseBlock == 0) {
      emitTransposed(first, traverseBlock, traverseBlock);
    } else if (*extent < traverseBlock) {
      emitTransposed(first, *extent, traverseBlock);
    } else if (group.again == LanesAgain::yes) {
      // A last block that would be partial begins earlier, so that it is full and overlaps the
      // previous one.
      Value *last = b.getInt64(static_cast<uint64_t>(*extent - traverseBlock));
      Value *from = b.CreateBinaryIntrinsic(Intrinsic::smin, first.base, last);
      emitTransposed(e.index().scalar(from), traverseBlock, std::gcd(traverseBlock, *extent));
    } else {
      int64_t rest = *extent % traverseBlock;
      Value *behind = b.getInt64(static_cast<uint64_t>(*extent - rest));
      Value *isLast = b.CreateICmpEQ(first.base, behind);
      emitIf(e, b.CreateNot(isLast), [&] { emitTransposed(first, traverseBlock, traverseBlock); });
      emitIf(e, isLast, [&] { emitTransposed(first, rest, traverseBlock); });
    }
  }

private:
  void emitTransposed(const LaneIndex &from, int64_t positions, int64_t blockAlignment) {
    emitLanes(e, begin, end, rowLength, group.again, [&](Value *base, int64_t alignment) {
      if (e.activeLanes()) { // the last vector, whose masked lanes are past the row's end
        emitPositions(base, alignment, positions);
      } else {
        emitTransposedBlock(frame, group, outer,
                            {from, positions, blockAlignment, base, alignment});
      }
    });
  }

  // Emits the block position by position; the lanes of transposed operands are gathered.
  void emitPositions(Value *base, int64_t alignment, int64_t positions) {
    IndexBuilder &index = e.index();
    Value *last = b.CreateBinaryIntrinsic(
        Intrinsic::smin, b.CreateAdd(first.base, b.getInt64(static_cast<uint64_t>(positions))),
        e.extent(group.sizes[blocked]));
    e.emitLoop(first.base, last, 1, [&](Value *position) {
      SmallVector<LaneIndex> dims = outer;
      dims[blocked] = index.scalar(position);
      dims.push_back(index.laneOf(base, alignment));
      storeRoots(frame, group, index.tuple(e.extents(group.sizes), dims));
    });
  }

  KernelFrame &frame;
  const TraversedGroup &group;
  ElementEmitter &e;
  IRBuilder<> &b;
  size_t blocked;
  const SizeExpression &rowLength;
  SmallVector<LaneIndex> outer;           // index in all dimensions but the last
  LaneIndex first;                        // first position in the blocked dimension
  Value *begin = nullptr, *end = nullptr; // range of the last dimension
};
} // namespace

void emitBlock(KernelFrame &frame, const TraversedGroup &group, Value *step) {
  BlockStep(frame, group, step).emit();
}

} // namespace drumlin::codegen

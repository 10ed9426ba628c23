// Loop kernels: pointwise, shape, gather and reduction operations in one traversal of the results,
// which drumlin/ir/plan/loop/LoopSchedule.h describes.
#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/codegen/cpu/element/SpanLoad.h"
#include "drumlin/codegen/cpu/loop/TraversedGroup.h"
#include "drumlin/ir/plan/LoopOp.h"

#include "drumlin/ir/plan/InPlace.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/ir/plan/loop/LoopCuts.h"
#include "drumlin/ir/plan/loop/LoopSchedule.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace llvm;

namespace drumlin::codegen {

TraversedGroup::TraversedGroup(LoopGroup group, const LoopTraversal &traversal)
    : LoopGroup(std::move(group)), traversal(traversal),
      sizes(symbolicSizesOf(cast<mlir::RankedTensorType>(roots.front().second.getType()))),
      steps(stepsOf(traversal, *this)), tiles(steps.ceilQuotient(traversal.tile)) {
  if (traversal.kind == plan::TraversalKind::rows) {
    rowReductions = drumlin::rowReductions(*this);
  }
  if (traversal.inRegisters) {
    transposes = transposesAlong(*this, traversal.blockedDimension);
  }
  if (traversal.kind == plan::TraversalKind::scan) {
    scan = scanToFollow(*this);
  }
}

SmallVector<LaneIndex> stepIndex(KernelFrame &frame, ArrayRef<SizeExpression> sizes, Value *step) {
  IndexBuilder &index = frame.emitter.index();
  return SmallVector<LaneIndex>(
      index.dims(index.tupleFromLinear(frame.emitter.extents(sizes), index.scalar(step))));
}

// Returns whether lanes may be stored twice: they may if no input can share memory with a result.
static LanesAgain lanesAgain(KernelFrame &frame) {
  mlir::Block &region = frame.kernel.getBody().front();
  for (unsigned input = 0; input < region.getNumArguments(); ++input) {
    for (unsigned output = 0; output < frame.outputs.size(); ++output) {
      if (mayComputeInPlace(frame.kernel, input, output)) {
        return LanesAgain::no;
      }
    }
  }
  return LanesAgain::yes;
}

void storeRoots(KernelFrame &frame, const TraversedGroup &group, const IndexTuple *at) {
  // All values are computed before any is stored, since an output may reuse an input's memory.
  SmallVector<Lanes> values;
  for (mlir::Value root : group.rootValues()) {
    values.push_back(frame.emitter.emit(root, at));
  }
  Value *mask = frame.emitter.activeLanes();
  if (group.storesBehind) {
    frame.emitter.setActiveLanes(nullptr);
  }
  for (auto [root, value] : zip(group.roots, values)) {
    frame.emitter.store(frame.outputs[root.first], at, value);
  }
  frame.emitter.setActiveLanes(mask);
}

namespace {
// A part of the results. In each dimension, it is the range between two adjacent cuts.
struct LoopPart {
  SmallVector<int64_t> begin; // first index in each dimension
  Shape shape;

  explicit LoopPart(const Shape &whole) : begin(whole.size(), 0), shape(whole) {}
  void take(size_t dimension, const CutRange &range) {
    begin[dimension] = range.begin;
    shape[dimension] = range.end - range.begin;
  }
};
} // namespace

// Returns the traversal's cuts. Instrumented kernels have none, because the same code must count
// all elements.
static ArrayRef<LoopCut> cutsOf(ElementEmitter &e, const TraversedGroup &group) {
  return e.isObserved() ? ArrayRef<LoopCut>() : ArrayRef(group.traversal.cuts);
}

// Converts an index relative to the part to an index into the group's shape. The map starts from
// the part's shape, whose known sizes simplify the indices of reads.
static const IndexTuple *fromPart(KernelFrame &frame, const TraversedGroup &group,
                                  const LoopPart &part, const IndexTuple *at) {
  mlir::MLIRContext *context = frame.kernel.getContext();
  IndexingBuilder map(part.shape, group.shape, context);
  for (auto [d, begin] : enumerate(part.begin)) {
    map.at(d) = map.dim(d) + begin;
  }
  return frame.emitter.index().along(map.finish(), at, frame.emitter.extents(group.sizes));
}

// The least number of bytes that are copied with a call. Vector code copies shorter pieces faster.
static constexpr int64_t shortestCopy = 1024; // bytes

// If the `count` results from the index on are consecutive elements of one operand, emits a copy
// with the C library's memmove and returns true. Otherwise returns false.
static bool emitCopy(KernelFrame &frame, const TraversedGroup &group, const IndexTuple *at,
                     Value *count) {
  if (group.roots.size() != 1) {
    return false;
  }
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  auto [number, root] = group.roots.front();
  const Buffer &output = frame.outputs[number];
  const ElementTypeInfo &type = info(output.type);
  // Types with unused bits can't be copied as bytes, because these bits must be cleared.
  bool isAllBits = type.bits == 8 * type.storageBytes;
  Value *from = isAllBits ? e.copiedFrom(root, at) : nullptr;
  if (!from) {
    return false;
  }
  Value *bytes = b.CreateMul(count, b.getInt64(type.storageBytes));
  Align align(type.storageBytes);
  // Uses memmove, since a result may overlap the beginning of its source.
  b.CreateMemMove(e.firstAddress(output, at), align, from, align, bytes);
  return true;
}

// Copies `size` results, a row or a part of a row, with emitCopy(). Returns false also if `size` is
// too small for a call.
static bool emitCopiedRow(KernelFrame &frame, const TraversedGroup &group, const IndexTuple *at,
                          int64_t size) {
  int64_t bytes = size * storageBytes(frame.outputs[group.roots.front().first].type);
  return bytes >= shortestCopy &&
         emitCopy(frame, group, at, frame.builder.getInt64(static_cast<uint64_t>(size)));
}

// Emits a row's ranges between the cuts of the last dimension, one after another. `outer` is
// relative to the part.
static void emitPartOfRow(KernelFrame &frame, const TraversedGroup &group, LoopPart part,
                          ArrayRef<LaneIndex> outer) {
  ElementEmitter &e = frame.emitter;
  size_t last = group.shape.size() - 1;
  for (const CutRange &range :
       cutRanges(group.traversal.cuts, static_cast<int64_t>(last), group.rowLength())) {
    part.take(last, range);
    auto indexAt = [&](Value *base, int64_t alignment) {
      SmallVector<LaneIndex> dims(outer);
      dims.push_back(e.index().laneOf(base, alignment));
      return fromPart(frame, group, part, e.index().tuple(knownExtents(part.shape), dims));
    };
    Value *zero = e.ir().getInt64(0);
    int64_t size = part.shape[last];
    if (!emitCopiedRow(frame, group, indexAt(zero, 1), size)) {
      emitLanes(e, zero, e.extent(size), size, group.again, [&](Value *base, int64_t alignment) {
        storeRoots(frame, group, indexAt(base, alignment));
      });
    }
  }
}

// Emits a row. At run time, the row's index in the dimensions from `d` on selects the code of the
// part that contains the row.
static void emitRowByParts(KernelFrame &frame, const TraversedGroup &group, size_t d, LoopPart part,
                           SmallVector<LaneIndex> outer) {
  if (d + 1 == group.shape.size()) {
    emitPartOfRow(frame, group, std::move(part), outer);
    return;
  }
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  Value *at = outer[d].base;
  auto inRanges = [&](auto &self, ArrayRef<CutRange> ranges) -> void {
    if (ranges.size() == 1) {
      part.take(d, ranges.front());
      Value *begin = b.getInt64(static_cast<uint64_t>(part.begin[d]));
      outer[d] = part.begin[d] == 0 ? e.index().scalar(at)
                                    : e.index().scalar(b.CreateSub(at, begin, "", true, true));
      emitRowByParts(frame, group, d + 1, part, outer);
      return;
    }
    size_t half = ranges.size() / 2;
    Value *middle = b.getInt64(static_cast<uint64_t>(ranges[half].begin));
    Value *isBefore = b.CreateICmpSLT(at, middle);
    emitIf(e, isBefore, [&] { self(self, ranges.take_front(half)); });
    emitIf(e, b.CreateNot(isBefore), [&] { self(self, ranges.drop_front(half)); });
  };
  SmallVector<CutRange> ranges =
      cutRanges(group.traversal.cuts, static_cast<int64_t>(d), group.shape[d]);
  if (ranges.size() == 1) {
    emitRowByParts(frame, group, d + 1, std::move(part), std::move(outer));
  } else {
    inRanges(inRanges, ranges);
  }
}

static void emitRow(KernelFrame &frame, const TraversedGroup &group, Value *row) {
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  const SizeExpression &rowLength = group.sizes.back();
  SmallVector<LaneIndex> outer = stepIndex(frame, ArrayRef(group.sizes).drop_back(), row);

  e.beginHoisting({group.rowReductions, group.kept, outer, rowLength});
  if (!cutsOf(e, group).empty()) {
    emitRowByParts(frame, group, 0, LoopPart(group.shape), outer);
  } else {
    auto indexAt = [&](Value *base, int64_t alignment) {
      SmallVector<LaneIndex> dims = outer;
      dims.push_back(index.laneOf(base, alignment));
      return index.tuple(e.extents(group.sizes), dims);
    };
    Value *zero = frame.builder.getInt64(0);
    std::optional<int64_t> size = rowLength.constant();
    if (!size || !emitCopiedRow(frame, group, indexAt(zero, 1), *size)) {
      emitLanes(e, zero, e.extent(rowLength), rowLength, group.again,
                [&](Value *base, int64_t alignment) {
                  storeRoots(frame, group, indexAt(base, alignment));
                });
    }
  }
  e.endHoisting();
}

// Emits one step of an interleaved traversal, in which the last two dimensions form one row. A step
// computes a piece of such a row; lanes are consecutive positions of the piece.
static void emitInterleavedRow(KernelFrame &frame, const TraversedGroup &group, Value *step) {
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  int64_t parts = group.rowLength(), length = parts * group.shape[group.shape.size() - 2];
  std::vector<SizeExpression> sizes(group.sizes.begin(), group.sizes.end() - 1);
  int64_t pieces = divideCeilSigned(length, traversePositions);
  sizes.back() = SizeExpression(pieces);
  SmallVector<LaneIndex> outer = stepIndex(frame, sizes, step);
  LaneIndex piece = outer.pop_back_val();
  Value *row = b.CreateUDiv(step, b.getInt64(static_cast<uint64_t>(pieces)));
  LaneIndex first = index.multiply(index.scalar(row), length);
  Value *begin = index.multiply(piece, traversePositions).base;
  Value *end = b.CreateBinaryIntrinsic(
      Intrinsic::smin, b.CreateAdd(begin, b.getInt64(traversePositions)), e.extent(length));
  emitLanes(e, begin, end, length, group.again, [&](Value *base, int64_t alignment) {
    LaneIndex position = index.laneOf(base, alignment);
    SmallVector<LaneIndex> dims(outer);
    dims.push_back(index.divide(position, parts));
    dims.push_back(index.remainder(position, parts));
    storeRoots(frame, group, index.tuple(e.extents(group.sizes), dims, index.add(first, position)));
  });
}

// Returns whether full vectors may be stored at the end of a row, overwriting the beginning of the
// next row, which is stored later. Without AVX-512, stores of full vectors take less than half of
// the time of masked stores.
static bool mayStoreBehind(ElementEmitter &e, const TraversedGroup &group) {
  constexpr int64_t longestRow = 4 * lanes;
  bool isKnown = all_of(group.sizes, [](const SizeExpression &size) { return size.constant(); });
  if (!isKnown || group.again == LanesAgain::no || group.traversal.vectorLanes != lanes ||
      group.rowLength() > longestRow || !group.rowReductions.empty() || !group.kept.empty() ||
      e.isObserved()) {
    return false;
  }
  return any_of(cutRanges(group.traversal.cuts, static_cast<int64_t>(group.shape.size()) - 1,
                          group.rowLength()),
                [](const CutRange &range) { return range.end - range.begin < lanes; });
}

// Emits the rows [begin, end) of one work item. Another work item may store the rows after them, so
// the last rows of this work item are stored without writing past their ends.
static void emitRows(KernelFrame &frame, const TraversedGroup &group, Value *begin, Value *end) {
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  if (mayStoreBehind(e, group)) {
    auto behind = static_cast<uint64_t>(divideCeilSigned(lanes, group.rowLength()));
    Value *last =
        b.CreateBinaryIntrinsic(Intrinsic::smax, begin, b.CreateSub(end, b.getInt64(behind)));
    TraversedGroup storing = group;
    storing.storesBehind = true;
    e.emitLoop(begin, last, 1, [&](Value *row) { emitRow(frame, storing, row); });
    begin = last;
  }
  e.emitLoop(begin, end, 1, [&](Value *row) { emitRow(frame, group, row); });
}

// Emits the positions [begin, end) of a part; none if `end` is before `begin`. `aligned`: whether
// `begin` is known to be a multiple of the traversal's period.
static void emitPositions(KernelFrame &frame, const TraversedGroup &group, const LoopPart &part,
                          Value *begin, Value *end, bool aligned) {
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  auto store = [&](const LaneIndex &position) {
    const IndexTuple *at = index.tupleFromLinear(knownExtents(part.shape), position);
    storeRoots(frame, group, fromPart(frame, group, part, at));
  };
  auto storeAt = [&](Value *base) { store(index.laneOf(base)); };
  end = b.CreateBinaryIntrinsic(Intrinsic::smax, begin, end);
  const IndexTuple *start = fromPart(
      frame, group, part, index.tupleFromLinear(knownExtents(part.shape), index.laneOf(begin)));
  if (emitCopy(frame, group, start, b.CreateSub(end, begin))) {
    return;
  }
  int64_t period = group.traversal.period;
  if (period == 0) {
    emitLaneLoop(e, begin, end, storeAt);
    return;
  }
  auto inPeriods = [&](Value *count) {
    return b.CreateMul(b.CreateSDiv(count, b.getInt64(static_cast<uint64_t>(period))),
                       b.getInt64(static_cast<uint64_t>(period)));
  };
  Value *first = begin;
  if (!aligned) {
    first = inPeriods(b.CreateAdd(begin, b.getInt64(static_cast<uint64_t>(period - 1))));
    first = b.CreateBinaryIntrinsic(Intrinsic::smin, first, end);
    emitMaskedLanes(e, begin, first, storeAt);
  }
  Value *last = b.CreateBinaryIntrinsic(Intrinsic::smax, first, inPeriods(end));
  e.emitLoop(first, last, period, [&](Value *base) {
    for (int64_t at = 0; at < period; at += group.traversal.vectorLanes) {
      Value *vector = b.CreateAdd(base, b.getInt64(static_cast<uint64_t>(at)), "", true, true);
      LaneIndex position = index.laneOf(vector, period);
      position.form.residue = at;
      store(position);
    }
  });
  emitMaskedLanes(e, last, end, storeAt);
}

// Emits the positions [begin, end). The cuts divide these positions into parts; all cuts are in the
// outermost dimension that has more than one element.
static void emitFlat(KernelFrame &frame, const TraversedGroup &group, Value *begin, Value *end) {
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  ArrayRef<LoopCut> cuts = cutsOf(e, group);
  if (cuts.empty() && (group.traversal.period == 0 || e.isObserved())) {
    emitLanes(
        e, begin, end, group.steps.expression(), group.again, [&](Value *base, int64_t alignment) {
          storeRoots(frame, group,
                     index.tupleFromLinear(e.extents(group.sizes), index.laneOf(base, alignment)));
        });
    return;
  }
  LoopPart part(group.shape);
  if (cuts.empty()) {
    emitPositions(frame, group, part, begin, end, /*aligned=*/true);
    return;
  }
  auto dimension = static_cast<size_t>(cuts.front().dimension);
  int64_t size = group.shape[dimension], inner = group.elements() / size;
  for (const CutRange &range : cutRanges(cuts, cuts.front().dimension, size)) {
    part.take(dimension, range);
    Value *first = b.getInt64(static_cast<uint64_t>(range.begin * inner));
    Value *last = b.getInt64(static_cast<uint64_t>(range.end * inner));
    Value *from = b.CreateSub(b.CreateBinaryIntrinsic(Intrinsic::smax, begin, first), first);
    Value *to = b.CreateSub(b.CreateBinaryIntrinsic(Intrinsic::smin, end, last), first);
    emitPositions(frame, group, part, from, to, /*aligned=*/false);
  }
}

static void emitGroup(KernelFrame &frame, const TraversedGroup &group, Value *tile) {
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  index.setWidth(static_cast<unsigned>(group.traversal.vectorLanes));
  Value *perTile = b.getInt64(static_cast<uint64_t>(group.traversal.tile));
  Value *begin = b.CreateMul(tile, perTile, "", true, true);
  Value *end = b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateAdd(begin, perTile, "", true, true),
                                       e.extent(group.steps.expression()));
  switch (group.traversal.kind) {
  case plan::TraversalKind::flat:
    emitFlat(frame, group, begin, end);
    return;
  case plan::TraversalKind::blocked:
    e.emitLoop(begin, end, 1, [&](Value *step) { emitBlock(frame, group, step); });
    return;
  case plan::TraversalKind::rows:
    emitRows(frame, group, begin, end);
    return;
  case plan::TraversalKind::interleaved:
    e.emitLoop(begin, end, 1, [&](Value *row) { emitInterleavedRow(frame, group, row); });
    return;
  case plan::TraversalKind::scan:
    e.emitLoop(begin, end, 1, [&](Value *step) { emitScanLine(frame, group, step); });
    return;
  case plan::TraversalKind::single:
    e.emitLoop(begin, end, 1, [&](Value *position) {
      storeRoots(frame, group,
                 index.tupleFromLinear(e.extents(group.sizes), index.scalar(position)));
    });
    return;
  }
}

// Returns the operations whose results have a single element. They are computed once per call of
// the kernel, before all tiles; Evaluations counts them accordingly.
static SmallVector<mlir::Operation *> singlesOf(const TraversedGroup &group) {
  SmallVector<mlir::Operation *> made;
  copy_if(group.slice, std::back_inserter(made), [](mlir::Operation *op) {
    return !isa<stablehlo::ConstantOp>(op) && all_of(op->getResults(), [&](mlir::Value result) {
      auto type = cast<mlir::RankedTensorType>(result.getType());
      return type.getNumElements() == 1 && !hasSymbolicSizes(type) &&
             equal(shapeOf(result), shapeOf(op->getResult(0)));
    });
  });
  return made;
}

static void emitTiles(KernelFrame &frame, const TraversedGroup &group, Value *from, Value *to,
                      Value *begin) {
  frame.emitter.emitLoop(from, to, 1, [&](Value *tile) {
    emitGroup(frame, group, frame.builder.CreateSub(tile, begin, "", true, true));
  });
}

// Emits a check of whether the result shares the operand's memory. If it does, only the update is
// written, and the first tile writes all of it. If it doesn't, control continues at `otherwise`.
static void emitInPlaceUpdate(KernelFrame &frame, stablehlo::DynamicUpdateSliceOp update,
                              BasicBlock *otherwise) {
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  const Buffer &output = frame.outputs.front();
  Function *function = frame.function;
  BasicBlock *inPlace = BasicBlock::Create(b.getContext(), "in_place", function);
  BasicBlock *write = BasicBlock::Create(b.getContext(), "write", function);
  BasicBlock *done = BasicBlock::Create(b.getContext(), "written", function);
  Value *same = b.CreateICmpEQ(e.bufferOf(update.getOperand())->pointer, output.pointer);
  b.CreateCondBr(same, inPlace, otherwise);
  b.SetInsertPoint(inPlace);
  b.CreateCondBr(b.CreateICmpEQ(frame.tileBegin, b.getInt64(0)), write, done);
  b.SetInsertPoint(write);
  auto updateType = cast<mlir::RankedTensorType>(update.getUpdate().getType());
  std::vector<SizeExpression> sizes = symbolicSizesOf(updateType);
  std::vector<SizeExpression> whole = symbolicSizesOf(update.getType());
  SmallVector<LaneIndex> starts;
  SizeExpression rows(1);
  for (size_t i = 0; i < sizes.size(); ++i) {
    starts.push_back(index.scalar(e.emitClampedIndex(update.getStartIndices()[i], e.scalarIndex(),
                                                     e.extent(whole[i] - sizes[i]))));
    rows = i + 1 == sizes.size() ? rows : rows * sizes[i];
  }
  auto storeAt = [&](ArrayRef<LaneIndex> dims) {
    SmallVector<LaneIndex> target;
    for (auto [dim, start] : zip(dims, starts)) {
      target.push_back(index.add(dim, start));
    }
    Lanes value = e.emit(update.getUpdate(), index.tuple(e.extents(sizes), dims));
    const IndexTuple *to = index.tuple(output.shape, target);
    e.store(output, to, value);
  };
  if (sizes.empty()) {
    storeAt({});
  } else {
    e.emitLoop(b.getInt64(0), e.extent(rows), 1, [&](Value *row) {
      SmallVector<LaneIndex> outer = stepIndex(frame, ArrayRef(sizes).drop_back(), row);
      emitLanes(frame.emitter, b.getInt64(0), e.extent(sizes.back()), sizes.back(), LanesAgain::no,
                [&](Value *base, int64_t alignment) {
                  SmallVector<LaneIndex> dims = outer;
                  dims.push_back(index.laneOf(base, alignment));
                  storeAt(dims);
                });
    });
  }
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
}

// For each value that is kept, allocates memory for one row in full vectors.
static void takeRows(KernelFrame &frame, TraversedGroup &group) {
  if (group.traversal.kind != plan::TraversalKind::rows) {
    return;
  }
  for (mlir::Operation *op : keptInRows(group)) {
    ElementType type = elementTypeOf(mlir::getElementTypeOrSelf(op->getResult(0).getType()));
    int64_t bytes = type == ElementType::F64 ? 8 : 4, lanes = group.traversal.vectorLanes;
    SizeExpression vectors = group.sizes.back().ceilQuotient(lanes);
    group.kept.push_back({op, frame.takeScratch(vectors * (lanes * bytes))});
  }
}

// Returns the kernel's groups with their traversals. If the kernel's schedule is invalid, refuses
// the schedule and returns nothing.
static std::vector<TraversedGroup> traversedGroups(KernelFrame &frame) {
  std::vector<LoopGroup> groups = groupRoots(frame.kernel.getBody().front());
  std::optional<LoopSchedule> schedule = loopScheduleOf(frame.kernel);
  std::string fault = schedule ? findScheduleFault(*schedule, groups) : "it is missing";
  if (!fault.empty()) {
    frame.refuseSchedule(fault);
    return {};
  }
  std::vector<TraversedGroup> traversed;
  LanesAgain again = lanesAgain(frame);
  for (auto [group, traversal] : zip(groups, schedule->traversals)) {
    TraversedGroup &made = traversed.emplace_back(std::move(group), traversal);
    made.again = again;
    takeRows(frame, made);
  }
  return traversed;
}

KernelProperties emit(Emission<plan::LoopOp> /*of*/, KernelFrame &frame) {
  std::vector<TraversedGroup> groups = traversedGroups(frame);
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  if (stablehlo::DynamicUpdateSliceOp update = inPlaceUpdate(frame.kernel.getBody().front())) {
    BasicBlock *otherwise = BasicBlock::Create(b.getContext(), "copy", frame.function);
    e.pushScope();
    emitInPlaceUpdate(frame, update, otherwise);
    e.popScope();
    b.SetInsertPoint(otherwise);
  }
  KernelProperties properties;
  properties.tiles = 0;
  for (const TraversedGroup &group : groups) {
    properties.tiles = properties.tiles + group.tiles;
  }
  // The kernel's tiles are those of the first group, then those of the second, and so on.
  SizeExpression first;
  for (const TraversedGroup &group : groups) {
    Value *begin = e.extent(first);
    Value *from = b.CreateBinaryIntrinsic(Intrinsic::smax, frame.tileBegin, begin);
    Value *to = b.CreateBinaryIntrinsic(Intrinsic::smin, frame.tileEnd,
                                        e.extent(first + group.tiles.expression()));
    SmallVector<mlir::Operation *> singles = singlesOf(group);
    if (singles.empty()) {
      emitTiles(frame, group, from, to, begin);
    } else {
      // If none of the call's tiles belongs to the group, none of the group's values are computed.
      emitIf(e, b.CreateICmpSLT(from, to), [&] {
        e.index().setWidth(static_cast<unsigned>(group.traversal.vectorLanes));
        for_each(singles, [&](mlir::Operation *op) { e.emitSingle(op); });
        emitTiles(frame, group, from, to, begin);
      });
    }
    first = first + group.tiles.expression();
  }
  return properties;
}

} // namespace drumlin::codegen

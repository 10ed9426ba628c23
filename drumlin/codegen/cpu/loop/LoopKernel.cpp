// Loop kernels: pointwise, shape and gather operations and reductions, computed in one traversal
// over the results (drumlin/ir/plan/loop/LoopSchedule.h says which).
#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/codegen/cpu/element/SpanLoad.h"
#include "drumlin/codegen/cpu/element/TransposeLanes.h"
#include "drumlin/codegen/cpu/reduce/ReducerCode.h"

#include "drumlin/ir/plan/InPlace.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/loop/LoopSchedule.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace llvm;

namespace drumlin::codegen {

// As stepsOf() has it, of sizes that may be known when the program runs.
static SizeExpression stepCount(const LoopTraversal &traversal, const LoopGroup &group,
                                const std::vector<SizeExpression> &sizes) {
  auto last = sizes.size() - 1;
  auto product = [&](auto factorOf) {
    SizeExpression made(1);
    for (auto [d, size] : enumerate(sizes)) {
      made = made * factorOf(d, size);
    }
    return made;
  };
  switch (traversal.kind) {
  case plan::TraversalKind::flat:
  case plan::TraversalKind::single:
    return product([](size_t, const SizeExpression &size) { return size; });
  case plan::TraversalKind::rows:
    return product(
        [&](size_t d, const SizeExpression &size) { return d == last ? SizeExpression(1) : size; });
  case plan::TraversalKind::blocked:
    return product([&](size_t d, const SizeExpression &size) {
      bool isBlocked = static_cast<int64_t>(d) == traversal.blockedDimension;
      return d == last   ? SizeExpression(1)
             : isBlocked ? (size + (traverseBlock - 1)).quotient(traverseBlock)
                         : size;
    });
  case plan::TraversalKind::scan: {
    mlir::Operation *scan = scanToFollow(group);
    auto along = static_cast<size_t>(prefixScan(scan)->dimension);
    bool byLanes = scansByLanes(group, scan);
    return product([&](size_t d, const SizeExpression &size) {
      return d == along || (byLanes && d == last) ? SizeExpression(1) : size;
    });
  }
  }
  llvm_unreachable("every traversal is handled above");
}

namespace {
// The results of one shape, with how they are traversed and what follows from it.
struct TraversedGroup : LoopGroup {
  LoopTraversal traversal;
  std::vector<SizeExpression> sizes; // of the shape
  SizeExpression steps, tiles;
  SmallVector<mlir::Operation *> rowReductions;            // computed once before each row
  SmallVector<std::pair<mlir::Operation *, Value *>> kept; // with memory for a row of each
  SmallVector<mlir::Operation *> transposes;               // in registers
  mlir::Operation *scan = nullptr;

  TraversedGroup(LoopGroup group, const LoopTraversal &traversal)
      : LoopGroup(std::move(group)), traversal(traversal),
        sizes(symbolicSizesOf(cast<mlir::RankedTensorType>(roots.front().second.getType()))),
        steps(stepCount(traversal, *this, sizes)),
        tiles((steps + (traversal.tile - 1)).quotient(traversal.tile)) {
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
};
} // namespace

// The index of a step, of which there are as many as the shape, of these sizes, has elements.
static SmallVector<LaneIndex> stepIndex(KernelFrame &frame, Shape shape,
                                        ArrayRef<SizeExpression> sizes, Value *step) {
  // A count of blocks may be 1 at the nominal sizes alone, which no size of a value is; indices in
  // dimensions of size 1 are 0.
  for (auto [nominal, size] : zip(shape, sizes)) {
    nominal = size.constant() ? nominal : std::max<int64_t>(nominal, 2);
  }
  IndexBuilder &index = frame.emitter.index();
  return SmallVector<LaneIndex>(index.dims(index.tupleFromLinear(
      std::move(shape), index.scalar(step), frame.emitter.tupleSizes(sizes))));
}

// Lanes may be stored twice if no input can lie in the memory of a result. Where masks cost little,
// they needn't be.
static LanesAgain lanesAgain(KernelFrame &frame) {
  if (frame.emitter.hasMasks()) {
    return LanesAgain::no;
  }
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

// Whether a mask costs little: the target has masked loads and stores of all elements that the
// kernel reads and writes, and registers for the masks of many lanes.
static bool hasMasks(KernelFrame &frame, const LoopTraversal &traversal) {
  if (traversal.vectorLanes > lanes && !frame.target.has("avx512f")) {
    return false;
  }
  auto isMasked = [&](mlir::Value value) {
    return hasMaskedLoads(
        frame.target, 8 * storageBytes(elementTypeOf(mlir::getElementTypeOrSelf(value.getType()))));
  };
  mlir::Block &region = frame.kernel.getBody().front();
  return all_of(region.getArguments(), isMasked) &&
         all_of(region.getTerminator()->getOperands(), isMasked);
}

static void storeRoots(KernelFrame &frame, const TraversedGroup &group, const IndexTuple *at) {
  // All values before all stores: an output may lie where an input did.
  SmallVector<Lanes> values;
  for (mlir::Value root : group.rootValues()) {
    values.push_back(frame.emitter.emit(root, at));
  }
  for (auto [root, value] : zip(group.roots, values)) {
    frame.emitter.store(frame.outputs[root.first], at, value);
  }
}

static void emitRow(KernelFrame &frame, const TraversedGroup &group, Value *row) {
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  const SizeExpression &rowLength = group.sizes.back();
  Shape outerShape(group.shape.begin(), group.shape.end() - 1);
  SmallVector<LaneIndex> outer =
      stepIndex(frame, outerShape, ArrayRef(group.sizes).drop_back(), row);

  e.beginHoisting({group.rowReductions, group.kept, outer, rowLength});
  emitLanes(frame.emitter, b.getInt64(0), e.extent(rowLength), rowLength, lanesAgain(frame),
            [&](Value *base, int64_t alignment) {
              SmallVector<LaneIndex> dims = outer;
              dims.push_back(index.laneOf(base, alignment));
              storeRoots(frame, group, index.tuple(group.shape, dims));
            });
  e.endHoisting();
}

// A whole block: the transposed operands are read along their own last dimension and transposed in
// registers.
static void emitTransposedBlock(KernelFrame &frame, const TraversedGroup &group,
                                ArrayRef<LaneIndex> outer, const LaneIndex &first, Value *base) {
  static_assert(traverseBlock == lanes, "a block fills the registers that are transposed");
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  auto blocked = static_cast<size_t>(group.traversal.blockedDimension);
  SmallVector<SmallVector<Value *>> columns;
  for (mlir::Operation *op : group.transposes) {
    SmallVector<Value *> rows;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      SmallVector<LaneIndex> result(outer);
      result[blocked] = index.laneOf(first.base, traverseBlock);
      result.push_back(index.addConstant(index.scalar(base), lane));
      rows.push_back(e.splat(e.emitShape(op, index.tuple(group.shape, result))->value));
    }
    transposeLanes(frame.builder, rows);
    columns.push_back(std::move(rows));
  }
  for (unsigned position = 0; position < traverseBlock; ++position) {
    SmallVector<LaneIndex> dims(outer);
    dims[blocked] = index.addConstant(first, position);
    dims.push_back(index.laneOf(base, lanes));
    const IndexTuple *at = index.tuple(group.shape, dims);
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

// One block of the blocked dimension, at one position of the others: all of the last dimension by
// lanes, and for each vector of it the positions of the block.
static void emitBlock(KernelFrame &frame, const TraversedGroup &group, Value *step) {
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  const SizeExpression &rowLength = group.sizes.back();
  auto blocked = static_cast<size_t>(group.traversal.blockedDimension);
  Shape outerShape(group.shape.begin(), group.shape.end() - 1);
  int64_t extent = outerShape[blocked];
  outerShape[blocked] = (extent + traverseBlock - 1) / traverseBlock;
  std::vector<SizeExpression> outerSizes(group.sizes.begin(), group.sizes.end() - 1);
  outerSizes[blocked] = (outerSizes[blocked] + (traverseBlock - 1)).quotient(traverseBlock);
  SmallVector<LaneIndex> outer = stepIndex(frame, outerShape, outerSizes, step);
  LaneIndex first = index.multiply(outer[blocked], traverseBlock);
  Value *last =
      b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateAdd(first.base, b.getInt64(traverseBlock)),
                              e.extent(group.sizes[blocked]));
  emitLanes(frame.emitter, b.getInt64(0), e.extent(rowLength), rowLength, LanesAgain::no,
            [&](Value *base, int64_t alignment) {
              if (!group.transposes.empty()) {
                emitTransposedBlock(frame, group, outer, first, base);
                return;
              }
              e.emitLoop(first.base, last, 1, [&](Value *position) {
                SmallVector<LaneIndex> dims = outer;
                dims[blocked] = index.scalar(position);
                dims.push_back(index.laneOf(base, alignment));
                storeRoots(frame, group, index.tuple(group.shape, dims));
              });
            });
}

namespace {
// Follows a prefix scan along one line, or along a row of lines side by side.
class ScanLine {
public:
  ScanLine(KernelFrame &frame, const TraversedGroup &group, Value *step);
  void emit();

private:
  void emitWhole(Value *begin, Value *start, std::optional<LaneIndex> lane);
  Value *emitVectors(Value *end, Value *start);
  const IndexTuple *at(const LaneIndex &position, std::optional<LaneIndex> lane = std::nullopt) {
    SmallVector<LaneIndex> dims = outer;
    dims[dimension] = position;
    if (lane) {
      dims.back() = *lane;
    }
    return e.index().tuple(group.shape, dims);
  }
  Value *combine(Value *x, Value *y) { return combineReduced(b, *scan.reducer, type, x, y); }
  // Stores what the group makes of these results of the scan.
  void store(Value *results, const IndexTuple *at) {
    e.bind(window.getResult(0), [results](const IndexTuple *) { return Lanes{results}; });
    storeRoots(frame, group, at);
    e.unbind(window.getResult(0));
  }
  Value *rounded(Value *value) { return isFloat(type) ? e.roundTo(value, type) : value; }

  KernelFrame &frame;
  const TraversedGroup &group;
  ElementEmitter &e;
  IRBuilder<> &b;
  stablehlo::ReduceWindowOp window;
  PrefixScan scan;
  ElementType type;
  size_t dimension;
  Value *extent;
  bool byLanes;
  SmallVector<LaneIndex> outer;
};
} // namespace

ScanLine::ScanLine(KernelFrame &frame, const TraversedGroup &group, Value *step)
    : frame(frame), group(group), e(frame.emitter), b(frame.builder),
      window(cast<stablehlo::ReduceWindowOp>(group.scan)), scan(*prefixScan(group.scan)),
      type(elementTypeOf(mlir::getElementTypeOrSelf(window.getResult(0).getType()))),
      dimension(static_cast<size_t>(scan.dimension)), extent(e.extent(group.sizes[dimension])),
      byLanes(scansByLanes(group, group.scan)) {
  Shape outerShape = group.shape;
  outerShape[dimension] = 1;
  std::vector<SizeExpression> outerSizes = group.sizes;
  outerSizes[dimension] = 1;
  if (byLanes) {
    outerShape.back() = 1;
    outerSizes.back() = 1;
  }
  outer = stepIndex(frame, outerShape, outerSizes, step);
}

// From a position on, element by element: the running value goes from each to the next one.
void ScanLine::emitWhole(Value *begin, Value *start, std::optional<LaneIndex> lane) {
  e.emitLoop(begin, extent, 1, {start}, [&](Value *iv, ArrayRef<Value *> carried) {
    Value *position = scan.fromLast ? b.CreateSub(b.CreateSub(extent, b.getInt64(1)), iv) : iv;
    const IndexTuple *index = at(e.index().scalar(position), lane);
    Value *element = e.emit(window.getInputs().front(), index).value;
    Value *next = nullptr, *result = nullptr;
    if (scan.reducer) {
      next = combine(carried[0], lane ? e.splat(element) : element);
      next = e.observed(window, next, e.activeLanes());
      result = rounded(next);
    } else {
      Value *made = e.emitScalarRegion(window.getBody(), {{carried[0]}, {element}})[0].value;
      next = result = lane ? e.splat(made) : made;
    }
    store(result, index);
    return SmallVector<Value *>{next};
  });
}

// Whole vectors along the line up to `end`; returns the running value. The elements of each are
// combined with those 1, 2, 4 … lanes before them, and all with the running value, which waits for
// one operation a vector. (W. D. Hillis, G. L. Steele, Data parallel algorithms, 1986.)
Value *ScanLine::emitVectors(Value *end, Value *start) {
  auto width = static_cast<int>(e.index().width());
  Value *neutral =
      b.CreateVectorSplat(static_cast<unsigned>(width), reducerIdentity(e, *scan.reducer, type));
  auto step = [&](Value *iv, ArrayRef<Value *> carried) -> SmallVector<Value *> {
    Value *base = iv;
    if (scan.fromLast) {
      base = b.CreateSub(b.CreateSub(extent, b.getInt64(static_cast<uint64_t>(width))), iv);
    }
    const IndexTuple *index = at(e.index().laneOf(base));
    Value *vector = e.splat(e.emit(window.getInputs().front(), index).value);
    for (int shift = 1; shift < width; shift *= 2) {
      SmallVector<int> lanesBefore;
      for (int lane = 0; lane < width; ++lane) {
        int from = scan.fromLast ? lane + shift : lane - shift;
        lanesBefore.push_back(from >= 0 && from < width ? from : width);
      }
      vector = combine(b.CreateShuffleVector(vector, neutral, lanesBefore), vector);
    }
    Value *results = combine(e.splat(carried[0]), vector);
    results = e.observed(window, results, e.activeLanes());
    store(rounded(results), index);
    Value *all =
        b.CreateExtractElement(vector, static_cast<uint64_t>(scan.fromLast ? 0 : width - 1));
    return {combine(carried[0], all)};
  };
  return e.emitLoop(b.getInt64(0), end, width, {start}, step)[0];
}

void ScanLine::emit() {
  Value *start = e.emit(window.getInitValues().front(), e.scalarIndex()).value;
  if (byLanes) {
    emitLanes(e, b.getInt64(0), e.extent(group.sizes.back()), group.sizes.back(), lanesAgain(frame),
              [&](Value *base, int64_t alignment) {
                emitWhole(b.getInt64(0), e.splat(start), e.index().laneOf(base, alignment));
              });
    return;
  }
  Value *done = b.getInt64(0);
  if (scan.reducer && dimension + 1 == group.shape.size()) {
    done = b.CreateAnd(extent, b.getInt64(-static_cast<uint64_t>(e.index().width())));
    start = emitVectors(done, start);
  }
  emitWhole(done, start, std::nullopt);
}

static void emitGroup(KernelFrame &frame, const TraversedGroup &group, Value *tile) {
  ElementEmitter &e = frame.emitter;
  IndexBuilder &index = e.index();
  IRBuilder<> &b = frame.builder;
  index.setWidth(static_cast<unsigned>(group.traversal.vectorLanes));
  e.setHasMasks(hasMasks(frame, group.traversal));
  Value *perTile = b.getInt64(static_cast<uint64_t>(group.traversal.tile));
  Value *begin = b.CreateMul(tile, perTile, "", true, true);
  Value *end = b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateAdd(begin, perTile, "", true, true),
                                       e.extent(group.steps));
  switch (group.traversal.kind) {
  case plan::TraversalKind::flat:
    emitLanes(frame.emitter, begin, end, group.steps, lanesAgain(frame),
              [&](Value *base, int64_t alignment) {
                storeRoots(frame, group,
                           index.tupleFromLinear(group.shape, index.laneOf(base, alignment),
                                                 e.tupleSizes(group.sizes)));
              });
    return;
  case plan::TraversalKind::blocked:
    e.emitLoop(begin, end, 1, [&](Value *step) { emitBlock(frame, group, step); });
    return;
  case plan::TraversalKind::rows:
    e.emitLoop(begin, end, 1, [&](Value *row) { emitRow(frame, group, row); });
    return;
  case plan::TraversalKind::scan:
    e.emitLoop(begin, end, 1, [&](Value *step) { ScanLine(frame, group, step).emit(); });
    return;
  case plan::TraversalKind::single:
    e.emitLoop(begin, end, 1, [&](Value *position) {
      storeRoots(
          frame, group,
          index.tupleFromLinear(group.shape, index.scalar(position), e.tupleSizes(group.sizes)));
    });
    return;
  }
}

// The operations whose results have one element. What every tile and every place in it has alike is
// computed once, before them, as Evaluations counts it.
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

// Where the result lies over the operand already, only the update is written: all of it by the
// first tile.
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
  Shape updateShape(updateType.getShape());
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
    Lanes value = e.emit(update.getUpdate(), index.tuple(updateShape, dims));
    const IndexTuple *to = index.tuple(output.shape, target);
    e.setSizes(update, to);
    e.store(output, to, value);
  };
  if (updateShape.empty()) {
    storeAt({});
  } else {
    e.emitLoop(b.getInt64(0), e.extent(rows), 1, [&](Value *row) {
      Shape outerShape(updateShape.begin(), updateShape.end() - 1);
      SmallVector<LaneIndex> outer = stepIndex(frame, outerShape, ArrayRef(sizes).drop_back(), row);
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

// Memory for a row of each value that is kept, in whole vectors.
static void takeRows(KernelFrame &frame, TraversedGroup &group) {
  if (group.traversal.kind != plan::TraversalKind::rows) {
    return;
  }
  for (mlir::Operation *op : keptInRows(group)) {
    ElementType type = elementTypeOf(mlir::getElementTypeOrSelf(op->getResult(0).getType()));
    int64_t bytes = type == ElementType::F64 ? 8 : 4, lanes = group.traversal.vectorLanes;
    SizeExpression vectors = (group.sizes.back() + (lanes - 1)).quotient(lanes);
    group.kept.push_back({op, frame.takeScratch(vectors * (lanes * bytes))});
  }
}

// The groups of the kernel with their traversals; none where its schedule isn't its own.
static std::vector<TraversedGroup> traversedGroups(KernelFrame &frame) {
  std::vector<LoopGroup> groups = groupRoots(frame.kernel.getBody().front());
  std::optional<LoopSchedule> schedule = loopScheduleOf(frame.kernel);
  std::string fault = schedule ? findScheduleFault(*schedule, groups) : "it has none";
  if (!fault.empty()) {
    frame.refuseSchedule(fault);
    return {};
  }
  std::vector<TraversedGroup> traversed;
  for (auto [group, traversal] : zip(groups, schedule->traversals)) {
    takeRows(frame, traversed.emplace_back(std::move(group), traversal));
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
  SizeExpression tiles;
  for (const TraversedGroup &group : groups) {
    properties.tiles += divideCeilSigned(stepsOf(group.traversal, group), group.traversal.tile);
    tiles = tiles + group.tiles;
  }
  if (!tiles.constant()) {
    frame.tileCount = tiles;
  }
  // The groups' tiles follow one another in the kernel's range.
  SizeExpression first;
  for (const TraversedGroup &group : groups) {
    Value *begin = e.extent(first);
    Value *from = b.CreateBinaryIntrinsic(Intrinsic::smax, frame.tileBegin, begin);
    Value *to =
        b.CreateBinaryIntrinsic(Intrinsic::smin, frame.tileEnd, e.extent(first + group.tiles));
    SmallVector<mlir::Operation *> singles = singlesOf(group);
    if (singles.empty()) {
      emitTiles(frame, group, from, to, begin);
    } else {
      // A call that has none of the group's tiles computes none of its values.
      emitIf(e, b.CreateICmpSLT(from, to), [&] {
        e.index().setWidth(static_cast<unsigned>(group.traversal.vectorLanes));
        for_each(singles, [&](mlir::Operation *op) { e.emitSingle(op); });
        emitTiles(frame, group, from, to, begin);
      });
    }
    first = first + group.tiles;
  }
  return properties;
}

} // namespace drumlin::codegen

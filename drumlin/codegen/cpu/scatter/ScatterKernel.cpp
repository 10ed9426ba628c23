// Scatter kernels: copies of the inputs, with updates combined into them at the given indices.
//
// Updates are applied in row-major order, since several updates may change the same element.
// Threads divide the result along one dimension, if the schedule says so: each walks over all
// updates, and applies what changes its own part. Updates along the window's innermost dimension
// change different elements, so lanes run along this dimension if it is contiguous in the result.
// Window elements outside of the result are skipped.
#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/ir/plan/ScatterOp.h"
#include "drumlin/ir/plan/heroes/ScatterProblem.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"

using namespace llvm;

namespace drumlin::codegen {

static ElementType typeOf(mlir::Value value) {
  return elementTypeOf(mlir::getElementTypeOrSelf(value.getType()));
}

namespace {
class ScatterEmitter {
public:
  ScatterEmitter(KernelFrame &frame, const ScatterProblem &problem,
                 plan::ScatterScheduleAttr schedule)
      : frame(frame), problem(problem), op(problem.op), e(frame.emitter), b(frame.builder),
        numbers(op.getScatterDimensionNumbers()), shape(shapeOf(op.getInputs().front())),
        sizes(symbolicSizesOf(op.getInputs().front())),
        updateShape(shapeOf(op.getUpdates().front())),
        updateSizes(symbolicSizesOf(op.getUpdates().front())),
        indicesShape(shapeOf(op.getScatterIndices())), windowDim(problem.windowDim),
        rowDim(schedule.getTraversal() == plan::LaneUse::by_lanes ? problem.rowDim
                                                                  : updateShape.size() + 1),
        tile(schedule.getTile()), divided(static_cast<size_t>(schedule.getDivided())),
        starts(shape.size(), nullptr) {}

  KernelProperties run() {
    KernelProperties properties;
    if (*elementCount(shape) == 0) {
      properties.tiles = 0;
      return properties;
    }
    if (tile != 0) {
      Value *positions = b.getInt64(static_cast<uint64_t>(tile));
      partBegin = b.CreateMul(frame.tileBegin, positions, "", true, true);
      partEnd = b.CreateBinaryIntrinsic(Intrinsic::smin,
                                        b.CreateMul(frame.tileEnd, positions, "", true, true),
                                        e.extent(sizes[divided]));
      properties.tiles = divideCeilSigned(shape[divided], tile);
      // Each range of tiles walks over all updates.
      properties.tilesTogether = properties.tiles.nominal;
    }
    bindResults();
    for (size_t i = 0; i < results.size(); ++i) {
      emitInitialValue(op.getInputs()[i], results[i]);
    }
    if (*elementCount(updateShape) != 0) {
      walk(0, b.getInt64(0));
    }
    return properties;
  }

private:
  //===- set-up -------------------------------------------------------------===//

  // Sets the buffers of the results. Results that the kernel doesn't yield are in scratch memory:
  // the update computation may still read them.
  void bindResults() {
    mlir::Operation *yield = frame.kernel.getBody().front().getTerminator();
    for (mlir::OpResult result : op->getResults()) {
      auto yielded = find(yield->getOperands(), result);
      if (yielded != yield->getOperands().end()) {
        results.push_back(
            frame.outputs[static_cast<size_t>(yielded - yield->getOperands().begin())]);
        continue;
      }
      ElementType type = typeOf(result);
      results.push_back(
          {frame.takeScratch(productOf(sizes) * storageBytes(type)), type, e.extents(sizes)});
    }
  }

  void emitInitialValue(mlir::Value input, const Buffer &result) {
    const Buffer *source = e.bufferOf(input);
    if (source && source->type == result.type) {
      emitIf(e, b.CreateICmpNE(source->pointer, result.pointer), [&]() {
        forRanges([&](Value *begin, Value *end) {
          Value *bytes = b.getInt64(static_cast<uint64_t>(storageBytes(result.type)));
          Value *first = b.CreateMul(begin, bytes, "", true, true);
          b.CreateMemCpy(b.CreateInBoundsGEP(b.getInt8Ty(), result.pointer, first), Align(1),
                         b.CreateInBoundsGEP(b.getInt8Ty(), source->pointer, first), Align(1),
                         b.CreateMul(b.CreateSub(end, begin), bytes, "", true, true));
        });
      });
      return;
    }
    forRanges([&](Value *begin, Value *end) {
      emitLaneLoop(e, begin, end, [&](Value *base) {
        const IndexTuple *at =
            e.index().tupleFromLinear(e.extents(sizes), e.index().laneOf(base, lanes));
        e.store(result, at, e.convert(e.emit(input, at), typeOf(input), result.type));
      });
    });
  }

  // Emits body(begin, end) for the ranges of the result's elements that belong to the task.
  void forRanges(function_ref<void(Value *, Value *)> body) {
    if (tile == 0) {
      body(b.getInt64(0), e.extent(productOf(sizes)));
      return;
    }
    Value *outer = e.extent(productOf(ArrayRef(sizes).take_front(divided)));
    Value *inner = stride(sizes, divided), *size = e.extent(sizes[divided]);
    e.emitLoop(b.getInt64(0), outer, 1, [&](Value *number) {
      Value *before = b.CreateMul(number, size, "", true, true);
      body(b.CreateMul(b.CreateAdd(before, partBegin), inner, "", true, true),
           b.CreateMul(b.CreateAdd(before, partEnd), inner, "", true, true));
    });
  }

  // Returns the range of positions along a dimension of the result that the task may change; null
  // if it may change all.
  std::pair<Value *, Value *> part(size_t dimension) {
    return tile != 0 && dimension == divided ? std::pair(partBegin, partEnd)
                                             : std::pair<Value *, Value *>();
  }

  // Returns whether a position along a dimension is one that the task may change. Negative
  // positions aren't.
  Value *isInPart(size_t dimension, Value *position) {
    auto [begin, end] = part(dimension);
    return begin ? b.CreateICmpULT(b.CreateSub(position, begin), b.CreateSub(end, begin))
                 : b.CreateICmpULT(position, e.extent(sizes[dimension]));
  }

  //===- traversing the updates -----------------------------------------------===//

  // Emits the loops over the updates' dimensions from `dimension` on. `updateBase` is the position
  // in the updates that the outer loops determine.
  void walk(size_t dimension, Value *updateBase) {
    if (static_cast<int64_t>(dimension) == problem.lastScatterDim + 1 && !startsEmitted) {
      startsEmitted = true;
      emitIf(e, emitStarts(), [&]() { walk(dimension, updateBase); });
      return;
    }
    if (dimension == rowDim) {
      emitRow(updateBase);
      return;
    }
    if (dimension == updateShape.size()) {
      emitElement(updateBase);
      return;
    }
    int64_t along = windowDim[dimension];
    Value *begin = b.getInt64(0), *end = e.extent(updateSizes[dimension]);
    if (along >= 0 && startsEmitted) {
      std::tie(begin, end) = clip(along, updateSizes[dimension]);
    }
    e.emitLoop(begin, end, 1, [&](Value *iv) {
      if (along < 0) {
        scatterIterators.push_back(iv);
      } else {
        windowOffsets.push_back({along, iv, startsEmitted});
      }
      Value *offset = b.CreateMul(iv, stride(updateSizes, dimension));
      walk(dimension + 1, b.CreateAdd(updateBase, offset));
      if (along < 0) {
        scatterIterators.pop_back();
      } else {
        windowOffsets.pop_back();
      }
    });
  }

  // Returns the range of a window's positions that are inside of the task's part of the result, in
  // one dimension in which the window has `size` positions.
  std::pair<Value *, Value *> clip(int64_t dimension, const SizeExpression &size) {
    auto d = static_cast<size_t>(dimension);
    auto [from, to] = part(d);
    Value *start = starts[d], *zero = b.getInt64(0);
    if (!start && !from) {
      return {zero, e.extent(size)};
    }
    start = start ? start : zero;
    Value *first = b.CreateSub(from ? from : zero, start);
    Value *left = b.CreateSub(to ? to : e.extent(sizes[d]), start);
    return {b.CreateBinaryIntrinsic(Intrinsic::smax, first, zero),
            b.CreateBinaryIntrinsic(Intrinsic::smin, e.extent(size), left)};
  }

  // Emits `starts`: the window's start in each indexed dimension, and the position in each
  // dimension without a window; in other dimensions, windows start at 0. Returns whether the
  // positions in dimensions without a window are inside of the task's part of the result.
  Value *emitStarts() {
    IndexBuilder &index = e.index();
    int64_t vectorDim = numbers.getIndexVectorDim();
    Value *inside = b.getTrue();
    for (auto [component, dimension] : enumerate(numbers.getScatterDimsToOperandDims())) {
      SmallVector<LaneIndex> at;
      size_t next = 0;
      for (size_t d = 0; d < indicesShape.size(); ++d) {
        at.push_back(static_cast<int64_t>(d) == vectorDim
                         ? index.constant(static_cast<int64_t>(component))
                         : index.scalar(scatterIterators[next++]));
      }
      const IndexTuple *place = index.tuple(e.extentsOf(op.getScatterIndices()), at);
      Value *start = e.emitInteger(op.getScatterIndices(), place);
      size_t d = static_cast<size_t>(dimension);
      if (is_contained(numbers.getInsertedWindowDims(), dimension)) {
        inside = b.CreateAnd(inside, isInPart(d, start));
        starts[d] = start;
        continue;
      }
      // Starts are clamped so that additions can't overflow. A window that is entirely outside of
      // the result remains so.
      Value *lowest = e.extent(SizeExpression(0) - windowSize(dimension));
      start = b.CreateBinaryIntrinsic(Intrinsic::smax, start, lowest);
      starts[d] = b.CreateBinaryIntrinsic(Intrinsic::smin, start, e.extent(sizes[d]));
    }
    for (auto [i, dimension] : enumerate(numbers.getInputBatchingDims())) {
      int64_t along = numbers.getScatterIndicesBatchingDims()[i];
      size_t position = static_cast<size_t>(along - (along > vectorDim ? 1 : 0));
      auto d = static_cast<size_t>(dimension);
      starts[d] = scatterIterators[position];
      if (part(d).first) {
        inside = b.CreateAnd(inside, isInPart(d, starts[d]));
      }
    }
    return inside;
  }

  // Returns the stride of a dimension in row-major order.
  Value *stride(ArrayRef<SizeExpression> shapeSizes, size_t dimension) {
    return e.extent(productOf(shapeSizes.drop_front(dimension + 1)));
  }

  SizeExpression windowSize(int64_t dimension) const {
    return updateSizes[static_cast<size_t>(find(windowDim, dimension) - windowDim.begin())];
  }

  // Emits the position in the result that the starts and the current window offsets determine.
  Value *emitResultBase() {
    Value *sum = b.getInt64(0);
    auto add = [&](size_t dimension, Value *place) {
      sum = b.CreateAdd(sum, b.CreateMul(place, stride(sizes, dimension)));
    };
    for (size_t d = 0; d < shape.size(); ++d) {
      if (starts[d]) {
        add(d, starts[d]);
      }
    }
    for (const WindowOffset &offset : windowOffsets) {
      add(static_cast<size_t>(offset.dimension), offset.value);
    }
    return sum;
  }

  // Returns whether the current window element is inside of the task's part of the result; null if
  // nothing must be checked. Window loops nested in the loops that determine the starts are clipped
  // to the part, so only the offsets of the other window loops are checked.
  Value *emitIsInside() {
    Value *inside = nullptr;
    for (const WindowOffset &offset : windowOffsets) {
      auto d = static_cast<size_t>(offset.dimension);
      if (offset.isClipped || (!starts[d] && !part(d).first)) {
        continue;
      }
      Value *place = starts[d] ? b.CreateAdd(starts[d], offset.value) : offset.value;
      Value *here = isInPart(d, place);
      inside = inside ? b.CreateAnd(inside, here) : here;
    }
    return inside;
  }

  void whereInside(function_ref<void()> body) {
    if (Value *inside = emitIsInside()) {
      emitIf(e, inside, body);
    } else {
      body();
    }
  }

  void emitElement(Value *updateBase) {
    whereInside(
        [&]() { combine(e.index().scalar(updateBase), e.index().scalar(emitResultBase())); });
  }

  void emitRow(Value *updateBase) {
    whereInside([&]() {
      auto [begin, end] = clip(windowDim[rowDim], updateSizes[rowDim]);
      Value *inner = stride(updateSizes, rowDim);
      Value *resultBase = emitResultBase();
      emitLaneLoop(e, b.CreateMul(begin, inner), b.CreateMul(end, inner), [&](Value *base) {
        combine(e.index().laneOf(b.CreateAdd(updateBase, base)),
                e.index().laneOf(b.CreateAdd(resultBase, base)));
      });
    });
  }

  // Emits results[to] = f(results[to], updates[from]), where f is the update computation.
  void combine(LaneIndex from, LaneIndex to) {
    mlir::Region &region = op.getUpdateComputation();
    const IndexTuple *source = e.index().tupleFromLinear(e.extents(updateSizes), from);
    const IndexTuple *target = e.index().tupleFromLinear(e.extents(sizes), to);
    size_t count = results.size();
    SmallVector<Lanes> arguments;
    for (mlir::BlockArgument argument : region.getArguments()) {
      size_t number = argument.getArgNumber();
      ElementType type = typeOf(argument);
      if (argument.use_empty()) {
        arguments.push_back({UndefValue::get(e.computeType(type))});
      } else if (number < count) {
        arguments.push_back(e.convert(e.load(results[number], target), results[number].type, type));
      } else {
        mlir::Value update = op.getUpdates()[number - count];
        arguments.push_back(e.convert(e.emit(update, source), typeOf(update), type));
      }
    }
    SmallVector<Lanes> made = e.emitScalarRegion(region, arguments);
    for (auto [result, value] : zip_equal(results, made)) {
      e.store(result, target, value);
    }
  }

  struct WindowOffset {
    int64_t dimension; // dimension of the result
    Value *value;
    bool isClipped; // the loop covers only positions inside of the task's part of the result
  };

  KernelFrame &frame;
  const ScatterProblem &problem;
  stablehlo::ScatterOp op;
  ElementEmitter &e;
  IRBuilder<> &b;
  stablehlo::ScatterDimensionNumbersAttr numbers;
  Shape shape;
  std::vector<SizeExpression> sizes;
  Shape updateShape;
  std::vector<SizeExpression> updateSizes;
  Shape indicesShape;
  SmallVector<Buffer> results;
  ArrayRef<int64_t> windowDim;
  size_t rowDim; // first dimension of the updates along which lanes run; past the end: none
  // Positions along dimension `divided` of the result that a tile has; 0: the result isn't divided.
  int64_t tile;
  size_t divided;
  Value *partBegin = nullptr, *partEnd = nullptr; // positions of the task's tiles
  bool startsEmitted = false;
  SmallVector<Value *> scatterIterators;   // indices of the current loops, outermost first
  SmallVector<WindowOffset> windowOffsets; // offsets of the current window loops
  SmallVector<Value *> starts;             // window's start in each result dimension; null: zero
};
} // namespace

KernelProperties emit(Emission<plan::ScatterOp> /*of*/, KernelFrame &frame) {
  ScatterProblem problem(frame.kernel.getBody().front());
  auto schedule = scheduleFor<plan::ScatterScheduleAttr>(frame, problem);
  if (!schedule) {
    return {};
  }
  return ScatterEmitter(frame, problem, schedule).run();
}

} // namespace drumlin::codegen

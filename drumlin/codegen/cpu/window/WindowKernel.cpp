// Window kernels: `select_and_scatter`. Each window selects one element of the operand. The
// window's source value is combined into the result at the position of this element. Windows are
// processed in row-major order.
#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/ir/plan/WindowOp.h"
#include "drumlin/ir/plan/heroes/WindowProblem.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace drumlin::codegen {

static ElementType typeOf(mlir::Value value) {
  return elementTypeOf(mlir::getElementTypeOrSelf(value.getType()));
}

namespace {
class WindowEmitter {
public:
  WindowEmitter(KernelFrame &frame, const WindowProblem &problem, plan::WindowScheduleAttr schedule)
      : frame(frame), op(problem.op), e(frame.emitter), b(frame.builder), shape(problem.shape),
        sizes(symbolicSizesOf(op.getOperand())), sourceShape(problem.sourceShape),
        sourceSizes(symbolicSizesOf(op.getSource())), window(problem.window), steps(problem.steps),
        padding(problem.padding), result(frame.outputs.front()),
        byLanes(schedule.getTraversal() == plan::LaneUse::by_lanes), tile(schedule.getTile()),
        traversal(schedule, problem) {}

  KernelProperties run() {
    KernelProperties properties;
    properties.tiles = traversal.tasks;
    if (traversal.tasks.is(0)) {
      return properties;
    }
    Value *size = b.getInt64(static_cast<uint64_t>(tile));
    Value *begin = b.CreateMul(frame.tileBegin, size);
    Value *end = b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateMul(frame.tileEnd, size),
                                         e.extent(traversal.batches.expression()));
    initial = e.convert(e.emit(op.getInitValue(), e.scalarIndex()), typeOf(op.getInitValue()),
                        result.type);
    e.emitLoop(begin, end, 1, [&](Value *batch) { emitBatch(batch); });
    return properties;
  }

private:
  void emitBatch(Value *batch) {
    Value *perBatch = e.extent(productOf(ArrayRef(sizes).drop_front(traversal.batchDims)));
    Value *first = b.CreateMul(batch, perBatch);
    emitLaneLoop(e, first, b.CreateAdd(first, perBatch), [&](Value *base) {
      e.store(result, e.index().tupleFromLinear(e.extents(sizes), e.index().laneOf(base)), initial);
    });
    if (*elementCount(sourceShape) == 0) {
      return;
    }
    Value *sourcePerBatch =
        e.extent(productOf(ArrayRef(sourceSizes).drop_front(traversal.batchDims)));
    origins.assign(shape.size(), nullptr);
    traverseSource(traversal.batchDims, b.CreateMul(batch, sourcePerBatch), first);
  }

  // Emits the loops over the source's dimensions from `d` on. The bases are the positions that the
  // outer loops determine; the operand's base is the position of the window's origin.
  void traverseSource(size_t d, Value *sourceBase, Value *operandBase) {
    if (d < traversal.traversedDims) {
      e.emitLoop(b.getInt64(0), e.extent(sourceSizes[d]), 1, [&](Value *iv) {
        Value *origin = b.CreateMul(iv, b.getInt64(static_cast<uint64_t>(steps[d])));
        origins[d] = b.CreateSub(origin, b.getInt64(static_cast<uint64_t>(padding[d].first)));
        Value *operandOffset = b.CreateMul(origins[d], stride(sizes, d));
        Value *sourceOffset = b.CreateMul(iv, stride(sourceSizes, d));
        traverseSource(d + 1, b.CreateAdd(sourceBase, sourceOffset),
                       b.CreateAdd(operandBase, operandOffset));
      });
      return;
    }
    if (!byLanes) {
      emitWindow(sourceBase, operandBase);
      return;
    }
    emitLaneLoop(e, b.getInt64(0), e.extent(sizes.back()), [&](Value *base) {
      emitWindow(b.CreateAdd(sourceBase, base), b.CreateAdd(operandBase, base));
    });
  }

  // Returns the stride of a dimension in row-major order.
  Value *stride(ArrayRef<SizeExpression> shapeSizes, size_t dimension) {
    return e.extent(productOf(shapeSizes.drop_front(dimension + 1)));
  }

  LaneIndex indexOf(Value *position) {
    return byLanes ? e.index().laneOf(position) : e.index().scalar(position);
  }
  Value *spread(Value *value) { return byLanes ? e.splat(value) : value; }

  // Emits `body` with carried values for the window's elements that are inside of the operand, in
  // row-major order. `body` gets the offset of each element from the window's origin.
  Values traverseWindow(size_t d, Value *offset, ArrayRef<Value *> carried,
                        function_ref<Values(Value *, ArrayRef<Value *>)> body) {
    if (d == traversal.traversedDims) {
      return body(offset, carried);
    }
    Value *begin = b.getInt64(0), *end = b.getInt64(static_cast<uint64_t>(window[d]));
    SizeExpression beyond =
        (sourceSizes[d] - 1) * steps[d] + window[d] - padding[d].first - sizes[d];
    bool mayLeave = padding[d].first != 0 || beyond.constant().value_or(1) > 0;
    if (mayLeave) {
      begin = b.CreateBinaryIntrinsic(Intrinsic::smax, begin, b.CreateNeg(origins[d]));
      end = b.CreateBinaryIntrinsic(Intrinsic::smin, end,
                                    b.CreateSub(e.extent(sizes[d]), origins[d]));
    }
    auto step = [&](Value *iv, ArrayRef<Value *> inner) {
      Value *distance = b.CreateMul(iv, stride(sizes, d));
      return traverseWindow(d + 1, b.CreateAdd(offset, distance), inner, body);
    };
    if (!mayLeave && d >= traversal.unrolledFrom) {
      Values values(carried);
      for (int64_t place = 0; place < window[d]; ++place) {
        values = step(b.getInt64(static_cast<uint64_t>(place)), values);
      }
      return values;
    }
    return e.emitLoop(begin, end, 1, carried, step);
  }

  SmallVector<Lanes> call(mlir::Region &region, Lanes first, ElementType firstType, Lanes second,
                          ElementType secondType) {
    Lanes arguments[2] = {e.convert(first, firstType, typeOf(region.getArgument(0))),
                          e.convert(second, secondType, typeOf(region.getArgument(1)))};
    return e.emitScalarRegion(region, arguments);
  }

  void emitWindow(Value *sourceBase, Value *operandBase) {
    ElementType operandType = typeOf(op.getOperand());
    // The state: the value and offset of the selected element, and whether any element is selected
    // yet.
    Values first = {spread(Constant::getNullValue(e.computeType(operandType))),
                    spread(b.getInt64(0)), b.getFalse()};
    Values selected = traverseWindow(
        traversal.batchDims, b.getInt64(0), first,
        [&](Value *offset, ArrayRef<Value *> carried) -> Values {
          LaneIndex linear = indexOf(b.CreateAdd(operandBase, offset));
          Lanes element =
              e.emit(op.getOperand(), e.index().tupleFromLinear(e.extents(sizes), linear));
          Value *stays =
              call(op.getSelect(), {carried[0]}, operandType, element, operandType)[0].value;
          stays = b.CreateAnd(spread(stays), spread(carried[2]));
          return {b.CreateSelect(stays, carried[0], spread(element.value)),
                  b.CreateSelect(stays, carried[1], spread(offset)), b.getTrue()};
        });
    emitIf(e, selected[2], [&]() { emitCombination(sourceBase, operandBase, selected[1]); });
  }

  // Emits result[selected] = f(result[selected], source), where f is the scatter computation.
  void emitCombination(Value *sourceBase, Value *operandBase, Value *selectedOffset) {
    const IndexTuple *from =
        e.index().tupleFromLinear(e.extentsOf(op.getSource()), indexOf(sourceBase));
    Lanes source = e.emit(op.getSource(), from);
    auto combineAt = [&](Value *position) {
      const IndexTuple *at = e.index().tupleFromLinear(e.extents(sizes), indexOf(position));
      Lanes made =
          call(op.getScatter(), e.load(result, at), result.type, source, typeOf(op.getSource()))[0];
      e.store(result, at, made);
    };
    if (!byLanes) {
      combineAt(b.CreateAdd(operandBase, selectedOffset));
      return;
    }
    // Lanes may have selected elements at different offsets. A second traversal of the window
    // combines, at each offset, the lanes that selected it in one masked vector, instead of
    // scattering single elements.
    traverseWindow(traversal.batchDims, b.getInt64(0), {},
                   [&](Value *offset, ArrayRef<Value *>) -> Values {
                     Value *saved = e.activeLanes();
                     Value *here = b.CreateICmpEQ(selectedOffset, e.splat(offset));
                     e.setActiveLanes(saved ? b.CreateAnd(saved, here) : here);
                     e.pushScope();
                     combineAt(b.CreateAdd(operandBase, offset));
                     e.popScope();
                     e.setActiveLanes(saved);
                     return {};
                   });
  }

  KernelFrame &frame;
  stablehlo::SelectAndScatterOp op;
  ElementEmitter &e;
  IRBuilder<> &b;
  Shape shape;
  std::vector<SizeExpression> sizes;
  Shape sourceShape;
  std::vector<SizeExpression> sourceSizes;
  SmallVector<int64_t> window, steps;
  SmallVector<std::pair<int64_t, int64_t>> padding;
  Buffer result;
  Lanes initial; // initial value of the result's elements
  bool byLanes;
  int64_t tile; // batch elements per work item
  WindowTraversal traversal;
  SmallVector<Value *>
      origins; // the current window's origin in each dimension of the operand; may be negative
};
} // namespace

KernelProperties emit(Emission<plan::WindowOp> /*of*/, KernelFrame &frame) {
  WindowProblem problem(frame.kernel.getBody().front());
  auto schedule = scheduleFor<plan::WindowScheduleAttr>(frame, problem);
  if (!schedule) {
    return {};
  }
  return WindowEmitter(frame, problem, schedule).run();
}

} // namespace drumlin::codegen

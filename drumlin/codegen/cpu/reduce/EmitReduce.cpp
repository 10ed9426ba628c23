// Reductions: reduce, and reduce_window (a reduction over the window's positions).
//
// If all lanes request the same result, lanes run along the reduced elements and are combined at
// the end, in a fixed order. This requires a body that is a known operation, which is commutative
// and associative up to rounding, or a body that selects one of two pairs (argmax). With other
// bodies, the elements are combined one by one in the specification's order. If lanes request
// different results, each lane combines its own result's elements in order.
//
// Long float sums are computed in blocks. The blocks' sums are added as a compensated sum, so that
// the error doesn't grow with the number of elements. Block boundaries depend on positions alone.
//
// Float sums of 16 bits and fewer are accumulated in f32 and rounded once at the end
// (docs/architecture.md, "Numerics").
#include "drumlin/codegen/cpu/element/ElementEmitter.h"
#include "drumlin/codegen/cpu/reduce/ReducerCode.h"
#include "drumlin/codegen/cpu/reduce/SelectReducer.h"

#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/loop/LoopProblem.h"
#include "drumlin/ir/plan/loop/ReductionBlocks.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/AndOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/NotOp.h"
#include "drumlin/ir/stablehlo/OrOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/XorOp.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace drumlin::codegen {

static Shape shapeOf(mlir::Value value) {
  return Shape(cast<mlir::RankedTensorType>(value.getType()).getShape());
}
static ElementType typeOf(mlir::Value value) {
  return elementTypeOf(mlir::getElementTypeOrSelf(value.getType()));
}

// The elements that are reduced to one result, and the map from reduced positions to the operands'
// index.
struct ReducedSpace {
  std::vector<SizeExpression> extents; // sizes of the reduced dimensions, in order
  // Returns the operand's index at reduced positions, one position per reduced dimension.
  std::function<const IndexTuple *(ArrayRef<LaneIndex>)> indexAt;
  // The row-major position of the first reduced element if all reduced elements are contiguous;
  // else nullopt.
  std::optional<LaneIndex> firstLinear;
  Extents sizes, operandShape; // set with firstLinear: sizes of the reduced and of all dimensions
  // Set with firstLinear: the result's index.
  SmallVector<LaneIndex> resultDims;

  SizeExpression count() const {
    SizeExpression made(1);
    for (const SizeExpression &extent : extents) {
      made = made * extent;
    }
    return made;
  }

  // Returns the operand's index at a position among the reduced elements. The index has known
  // dimensions, so that values computed once per row are found by the result's index.
  const IndexTuple *inRow(IndexBuilder &index, const LaneIndex &position) const {
    SmallVector<LaneIndex> dims(resultDims);
    append_range(dims, index.dims(index.tupleFromLinear(sizes, position)));
    return index.tuple(operandShape, dims, index.add(*firstLinear, position));
  }
};

// Traverses the reduced space. `step` gets the operands' index, the carried values, and a mask,
// which is null except in the remainder. With `byLanes`, lanes run along the last dimension. In the
// remainder, loads are masked, and `step` must replace the values of inactive lanes.
struct ReductionTraversal {
  ElementEmitter &e;
  const ReducedSpace &space;
  bool byLanes;
  std::function<SmallVector<Value *>(const IndexTuple *, ArrayRef<Value *>, Value *)> step;
  // The initial value of each block's sum if sums are computed in blocks; else null.
  Value *neutral = nullptr;

  SmallVector<Value *> run(SmallVector<Value *> carried) {
    IndexBuilder &index = e.index();
    if (space.firstLinear) {
      return innermost(space.count(), carried,
                       [&](const LaneIndex &position) { return space.inRow(index, position); });
    }
    SmallVector<LaneIndex> positions;
    return nest(0, positions, carried);
  }

private:
  SmallVector<Value *> nest(size_t dimension, SmallVector<LaneIndex> &positions,
                            ArrayRef<Value *> carried) {
    if (space.extents.empty()) {
      return step(space.indexAt({}), carried, nullptr);
    }
    if (dimension + 1 == space.extents.size()) {
      return innermost(space.extents.back(), carried, [&](const LaneIndex &position) {
        positions.push_back(position);
        const IndexTuple *at = space.indexAt(positions);
        positions.pop_back();
        return at;
      });
    }
    IRBuilder<> &b = e.ir();
    // A size known only at run time is assumed to fill a whole block.
    auto inside = map_to_vector(ArrayRef(space.extents).drop_front(dimension + 1),
                                [](const SizeExpression &extent) {
                                  return extent.constant().value_or(ReductionBlocks::terms);
                                });
    int64_t perBlock = ReductionBlocks::stepsOutside(inside);
    auto body = [&](Value *iv, ArrayRef<Value *> carried) {
      positions.push_back(e.index().scalar(iv));
      SmallVector<Value *> next = nest(dimension + 1, positions, carried);
      positions.pop_back();
      return next;
    };
    return blocks(b.getInt64(0), e.extent(space.extents[dimension]), 1,
                  stepsOf(space.extents[dimension], 1), perBlock, carried, body);
  }

  // Emits a loop of `steps` steps. If sums are computed in blocks, each block has `perBlock` steps.
  SmallVector<Value *>
  blocks(Value *begin, Value *end, int64_t width, int64_t steps, int64_t perBlock,
         ArrayRef<Value *> carried,
         function_ref<SmallVector<Value *>(Value *, ArrayRef<Value *>)> body) const {
    if (!neutral || steps <= perBlock) {
      return e.emitLoop(begin, end, width, carried, body);
    }
    IRBuilder<> &b = e.ir();
    Value *first = carried[0]->getType()->isVectorTy() ? e.splat(neutral) : neutral;
    SmallVector<Value *> parts = e.emitLoop(
        begin, end, perBlock * width, {carried[0], Constant::getNullValue(carried[0]->getType())},
        [&](Value *from, ArrayRef<Value *> before) -> SmallVector<Value *> {
          Value *behind = b.CreateAdd(from, b.getInt64(static_cast<uint64_t>(perBlock * width)));
          Value *to = b.CreateBinaryIntrinsic(Intrinsic::smin, behind, end);
          Value *block = perBlock == 1 ? body(from, {first})[0]
                                       : e.emitLoop(from, to, width, {first}, body)[0];
          SumOfBlocks made = addBlock(b, {before[0], before[1]}, block);
          return {made.sum, made.left};
        });
    return {SumOfBlocks{parts[0], parts[1]}.total(b)};
  }

  // Returns the number of steps. Symbolic sizes may be large, so the largest int64_t is returned
  // for them.
  static int64_t stepsOf(const SizeExpression &size, int64_t width) {
    return size.constant() ? *size.constant() / width : std::numeric_limits<int64_t>::max();
  }

  SmallVector<Value *> innermost(const SizeExpression &size, ArrayRef<Value *> carried,
                                 function_ref<const IndexTuple *(const LaneIndex &)> indexAt) {
    if (!size.constant()) {
      return innermostOfAny(size, carried, indexAt);
    }
    IRBuilder<> &b = e.ir();
    int64_t count = *size.constant();
    int64_t width = byLanes ? e.index().width() : 1;
    int64_t whole = count / width * width;
    SmallVector<Value *> values(carried);
    auto at = [&](Value *iv) {
      return indexAt(byLanes ? e.index().laneOf(iv, width) : e.index().scalar(iv));
    };
    if (whole > 0) {
      values =
          blocks(b.getInt64(0), b.getInt64(static_cast<uint64_t>(whole)), width,
                 stepsOf(size, width), ReductionBlocks::terms, values,
                 [&](Value *iv, ArrayRef<Value *> inner) { return step(at(iv), inner, nullptr); });
    }
    if (whole < count) {
      SmallVector<Constant *> active;
      for (unsigned lane = 0; lane < e.index().width(); ++lane) {
        active.push_back(b.getInt1(static_cast<int64_t>(lane) < count - whole));
      }
      Value *mask = ConstantVector::get(active);
      Value *saved = e.activeLanes();
      e.setActiveLanes(mask);
      e.pushScope();
      values = step(at(b.getInt64(static_cast<uint64_t>(whole))), values, mask);
      e.popScope();
      e.setActiveLanes(saved);
    }
    return values;
  }

  // Emits the innermost loop like innermost(), for a symbolic size. Unless the size is known to be
  // a multiple of the width, also emits a remainder, which may have no active lanes.
  SmallVector<Value *> innermostOfAny(const SizeExpression &size, ArrayRef<Value *> carried,
                                      function_ref<const IndexTuple *(const LaneIndex &)> indexAt) {
    IRBuilder<> &b = e.ir();
    int64_t width = byLanes ? e.index().width() : 1;
    auto at = [&](Value *iv) {
      return indexAt(byLanes ? e.index().laneOf(iv, width) : e.index().scalar(iv));
    };
    Value *whole = e.extent(size.quotient(width) * width);
    SmallVector<Value *> values =
        blocks(b.getInt64(0), whole, width, stepsOf(size, width), ReductionBlocks::terms, carried,
               [&](Value *iv, ArrayRef<Value *> inner) { return step(at(iv), inner, nullptr); });
    if (size.remainder(width).constant() == int64_t(0)) {
      return values;
    }
    Value *positions = e.index().asVector(e.index().laneOf(whole));
    Value *mask = b.CreateICmpSLT(
        positions, b.CreateVectorSplat(static_cast<unsigned>(width), e.extent(size)));
    Value *saved = e.activeLanes();
    e.setActiveLanes(mask);
    e.pushScope();
    values = step(at(whole), values, mask);
    e.popScope();
    e.setActiveLanes(saved);
    return values;
  }
};

// Returns the width in bits of the elements whose comparison gives the boolean `value`; 8 if the
// boolean is read from memory.
static unsigned bitsBehind(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (auto compare = dyn_cast_or_null<stablehlo::CompareOp>(op)) {
    return std::clamp<unsigned>(static_cast<unsigned>(info(typeOf(compare.getLhs())).bits), 8, 64);
  }
  bool isLogical = isa_and_nonnull<stablehlo::AndOp, stablehlo::OrOp, stablehlo::XorOp,
                                   stablehlo::NotOp, stablehlo::ReshapeOp>(op);
  return isLogical ? bitsBehind(op->getOperand(0)) : 8;
}

// Returns the type in which a known reduction is carried from step to step. On targets without mask
// registers, booleans in lanes are carried as elements of all ones or all zeros, which are as wide
// as the compared elements: a vector of bits would be packed and unpacked in each step.
static Type *carriedType(ElementEmitter &e, stablehlo::ReduceOp op, bool isOfLanes) {
  ElementType type = typeOf(op.getInputs().front());
  bool isWide = isBoolean(type) && isOfLanes && !e.targetInfo().hasMaskRegisters();
  return isWide ? e.ir().getIntNTy(bitsBehind(op.getInputs().front())) : e.computeType(type);
}

// Emits a reduction of one operand by a known reducer, with one accumulator per lane.
static Lanes emitKnownReduction(ElementEmitter &e, Reducer reducer, stablehlo::ReduceOp op,
                                const ReducedSpace &space, bool uniformResult) {
  IRBuilder<> &b = e.ir();
  mlir::Value operand = op.getInputs().front(), init = op.getInitValues().front();
  ElementType type = typeOf(operand);
  Lanes start = e.emit(init, e.scalarIndex());
  SizeExpression innermostSize = space.firstLinear       ? space.count()
                                 : space.extents.empty() ? SizeExpression(1)
                                                         : space.extents.back();
  bool byLanes = uniformResult && innermostSize.constant().value_or(2) > 1;
  bool isOfLanes = byLanes || !uniformResult;
  Type *carriedAs = carriedType(e, op, isOfLanes);
  // In a widened boolean, all bits are equal; bitwise reducers preserve this.
  auto widened = [&](Value *value) {
    Type *as =
        value->getType()->isVectorTy()
            ? static_cast<Type *>(VectorType::get(carriedAs, cast<VectorType>(value->getType())))
            : carriedAs;
    return value->getType() == as ? value : b.CreateSExt(value, as);
  };
  Value *neutral = widened(reducerIdentity(e, reducer, type));
  Value *first = uniformResult && !byLanes ? start.value
                 : byLanes                 ? e.splat(neutral)
                                           : widened(e.splat(start.value));
  ReductionTraversal traversal{
      e, space, byLanes,
      [&](const IndexTuple *at, ArrayRef<Value *> carried, Value *tail) -> SmallVector<Value *> {
        Value *element = e.emit(operand, at).value;
        if (carried[0]->getType()->isVectorTy()) {
          element = widened(e.splat(element));
        }
        if (tail && byLanes) {
          element = b.CreateSelect(tail, element, e.splat(neutral));
        }
        Value *combined = combineReduced(b, reducer, type, carried[0], element);
        return {e.observed(op, combined, e.activeLanes())};
      }};
  if (reducer == Reducer::Add && isFloat(type)) {
    traversal.neutral = neutral;
  }
  Value *sum = traversal.run({first})[0];
  auto narrowed = [&](Value *value) {
    bool isWide = isOfLanes && carriedAs != e.computeType(type);
    return isWide ? b.CreateICmpNE(value, Constant::getNullValue(value->getType())) : value;
  };
  if (byLanes) {
    sum = combineReduced(b, reducer, type, start.value,
                         narrowed(combineReducedLanes(b, reducer, type, sum)));
  } else {
    sum = narrowed(sum);
  }
  return {isFloat(type) ? e.roundTo(sum, type) : sum};
}

// Emits a reduction with any body: each lane combines its elements in the specification's order.
static SmallVector<Lanes> emitGeneralReduction(ElementEmitter &e, mlir::Region &body,
                                               mlir::ValueRange operands, mlir::ValueRange inits,
                                               const ReducedSpace &space, bool uniformResult) {
  SmallVector<Value *> first;
  for (mlir::Value init : inits) {
    Value *start = e.emit(init, e.scalarIndex()).value;
    first.push_back(uniformResult ? start : e.splat(start));
  }
  ReductionTraversal traversal{
      e, space, /*byLanes=*/false,
      [&](const IndexTuple *at, ArrayRef<Value *> carried, Value *) -> SmallVector<Value *> {
        SmallVector<Lanes> arguments;
        for (Value *value : carried) {
          arguments.push_back({value});
        }
        for (mlir::Value operand : operands) {
          arguments.push_back(e.emit(operand, at));
        }
        SmallVector<Value *> next;
        for (Lanes result : e.emitScalarRegion(body, arguments)) {
          next.push_back(uniformResult ? result.value : e.splat(result.value));
        }
        return next;
      }};
  SmallVector<Lanes> results;
  for (Value *value : traversal.run(first)) {
    results.push_back({value});
  }
  return results;
}

// Emits a reduction that selects one of two pairs. Each lane keeps its own winner. Every lane may
// start with the initial pair, since selection is idempotent.
static SmallVector<Lanes> emitSelectReduction(ElementEmitter &e, const SelectReducer &reducer,
                                              stablehlo::ReduceOp op, const ReducedSpace &space) {
  IRBuilder<> &b = e.ir();
  mlir::ValueRange operands = op.getInputs(), inits = op.getInitValues();
  SmallVector<Value *> first;
  for (mlir::Value init : inits) {
    first.push_back(e.splat(e.emit(init, e.scalarIndex()).value));
  }
  ReductionTraversal traversal{
      e, space, /*byLanes=*/true,
      [&](const IndexTuple *at, ArrayRef<Value *> carried, Value *tail) -> SmallVector<Value *> {
        SelectedPair pair;
        for (auto [i, operand] : enumerate(operands)) {
          pair[i] = e.splat(e.emit(operand, at).value);
          pair[i] = tail ? b.CreateSelect(tail, pair[i], carried[i]) : pair[i];
        }
        SelectedPair winner = combineSelected(b, reducer, {carried[0], carried[1]}, pair);
        return {e.observed(op, winner[0], e.activeLanes()), winner[1]};
      }};
  SmallVector<Value *> winners = traversal.run(first);
  SelectedPair winner = combineSelectedLanes(b, reducer, {winners[0], winners[1]});
  return {{winner[0]}, {winner[1]}};
}

// Returns the elements that are reduced to the result at `at`. `byDimensions`: the operands are
// indexed by dimension, not by row-major position.
static ReducedSpace spaceOf(ElementEmitter &e, stablehlo::ReduceOp op, const IndexTuple *at,
                            bool byDimensions = false) {
  IndexBuilder &index = e.index();
  mlir::Value input = op.getInputs().front();
  Shape shape = shapeOf(input);
  std::vector<SizeExpression> sizes =
      symbolicSizesOf(cast<mlir::RankedTensorType>(input.getType()));
  ReducedSpace space;
  SmallVector<int64_t> reduced(op.getDimensions());
  sort(reduced);
  for (int64_t dimension : reduced) {
    space.extents.push_back(sizes[static_cast<size_t>(dimension)]);
  }
  // If the reduced dimensions are the innermost ones, the elements of one result are contiguous.
  bool trailing = !reduced.empty();
  for (size_t i = 0; i < reduced.size(); ++i) {
    trailing &= reduced[i] == static_cast<int64_t>(shape.size() - reduced.size() + i);
  }
  Extents extents = e.extents(sizes);
  if (trailing && !byDimensions && hasKnownStrides(extents)) {
    space.operandShape = extents;
    space.sizes = e.extents(space.extents);
    space.firstLinear = index.multiply(index.linear(at), index.asValue(index.product(space.sizes)));
    space.resultDims.assign(index.dims(at).begin(), index.dims(at).end());
    return space;
  }
  SmallVector<LaneIndex> kept(index.dims(at));
  space.indexAt = [&index, reduced, kept, extents](ArrayRef<LaneIndex> positions) {
    SmallVector<LaneIndex> dims;
    size_t nextReduced = 0, nextKept = 0;
    for (size_t i = 0; i < extents.size(); ++i) {
      dims.push_back(is_contained(reduced, static_cast<int64_t>(i)) ? positions[nextReduced++]
                                                                    : kept[nextKept++]);
    }
    return index.tuple(extents, dims);
  };
  return space;
}

namespace {
// Emits a reduce_window: reads the padded, dilated operands at each position of the window. At
// positions outside of the operands, the initial values are read.
class WindowReduction {
public:
  WindowReduction(ElementEmitter &e, stablehlo::ReduceWindowOp op, const IndexTuple *at);

  SmallVector<Lanes> emit();

private:
  using Values = SmallVector<Value *>;
  using Sizes = std::vector<SizeExpression>;

  static Sizes paddingOf(stablehlo::ReduceWindowOp op) {
    SmallVector<int64_t> nominal;
    for (auto [low, high] : op.paddingOrDefault()) {
      nominal.append({low, high});
    }
    return symbolicSizesOf(op, op.getPaddingAttrName(), nominal);
  }
  LaneIndex scaled(const LaneIndex &position, const SizeExpression &by) {
    return by.constant() ? index.multiply(position, *by.constant())
                         : index.multiply(position, e.extent(by));
  }
  // Returns the position in a dimension of the operand, and the condition that `inside` holds and
  // the position is in bounds. A null condition is always true.
  std::pair<LaneIndex, Value *> locate(size_t dimension, Value *windowPosition, Value *inside);
  // Returns the operands' elements at the current positions where `inside` holds, and the initial
  // values elsewhere.
  SmallVector<Lanes> read(Value *inside);
  Values combine(Value *inside, ArrayRef<Value *> values);
  // Emits the loops over the window's dimensions from `dimension` on.
  Values nest(size_t dimension, Value *inside, ArrayRef<Value *> values);

  ElementEmitter &e;
  IndexBuilder &index;
  IRBuilder<> &b;
  stablehlo::ReduceWindowOp op;
  SmallVector<LaneIndex> given, positions;
  bool isUniform;
  Sizes strides, baseDilations, windowDilations, extents, windows;
  Sizes padding; // low and high padding of each dimension
  std::optional<Reducer> reducer;
  ElementType type;
  Values starts;
};
} // namespace

WindowReduction::WindowReduction(ElementEmitter &e, stablehlo::ReduceWindowOp op,
                                 const IndexTuple *at)
    : e(e), index(e.index()), b(e.ir()), op(op), given(index.dims(at)),
      strides(symbolicSizesOf(op, op.getWindowStridesAttrName(), op.windowStridesOrDefault())),
      baseDilations(
          symbolicSizesOf(op, op.getBaseDilationsAttrName(), op.baseDilationsOrDefault())),
      windowDilations(
          symbolicSizesOf(op, op.getWindowDilationsAttrName(), op.windowDilationsOrDefault())),
      extents(symbolicSizesOf(op.getInputs().front())),
      windows(symbolicSizesOf(op, op.getWindowDimensionsAttrName(), op.getWindowDimensions())),
      padding(paddingOf(op)), reducer(knownReducer(op.getBody())),
      type(typeOf(op.getInputs().front())) {
  (void)index.linear(at);
  isUniform = at->isUniform;
}

SmallVector<Lanes> WindowReduction::emit() {
  Values carried;
  for (mlir::Value init : op.getInitValues()) {
    starts.push_back(e.emit(init, e.scalarIndex()).value);
    carried.push_back(isUniform ? starts.back() : e.splat(starts.back()));
  }
  SmallVector<Lanes> results;
  for (Value *value : nest(0, nullptr, carried)) {
    results.push_back({isFloat(type) && reducer ? e.roundTo(value, type) : value});
  }
  return results;
}

std::pair<LaneIndex, Value *> WindowReduction::locate(size_t dimension, Value *windowPosition,
                                                      Value *inside) {
  // The position in the dilated operand is result * stride + window * dilation - low.
  LaneIndex position = index.add(scaled(given[dimension], strides[dimension]),
                                 scaled(index.scalar(windowPosition), windowDilations[dimension]));
  const SizeExpression &low = padding[2 * dimension], &high = padding[2 * dimension + 1];
  position = low.constant() ? index.addConstant(position, -*low.constant())
                            : index.add(position, index.scalar(e.extent(SizeExpression(0) - low)));
  const SizeExpression &dilation = baseDilations[dimension];
  bool isDilated = dilation.constant() != 1;
  Value *value = index.asValue(position);
  bool mayLeave = low.constant() != 0 || high.constant() != 0 || isDilated;
  auto require = [&](Value *condition) {
    if (inside && inside->getType() != condition->getType()) {
      inside = e.splat(inside);
      condition = e.splat(condition);
    }
    inside = inside ? b.CreateAnd(inside, condition) : condition;
  };
  if (mayLeave) {
    const SizeExpression &size = extents[dimension];
    SizeExpression extent =
        isDilated ? SizeExpression::larger((size - 1) * dilation + 1, SizeExpression(0)) : size;
    Value *end = e.extent(extent);
    require(b.CreateICmpULT(
        value, value->getType()->isVectorTy() ? b.CreateVectorSplat(index.width(), end) : end));
  }
  if (isDilated) {
    Value *by = b.CreateSExtOrTrunc(e.extent(dilation), value->getType()->getScalarType());
    by = value->getType()->isVectorTy() ? b.CreateVectorSplat(index.width(), by) : by;
    require(b.CreateICmpEQ(b.CreateURem(value, by), Constant::getNullValue(value->getType())));
    Value *whole = b.CreateUDiv(value, by);
    position = position.isUniform() ? index.scalar(whole) : index.fromVector(whole);
  }
  if (mayLeave) {
    position = index.leaving(position, Extent(e.extent(extents[dimension])));
  }
  return {position, inside};
}

SmallVector<Lanes> WindowReduction::read(Value *inside) {
  const IndexTuple *tuple = index.tuple(e.extents(extents), positions);
  SmallVector<Lanes> elements;
  for (auto [input, start] : zip(op.getInputs(), starts)) {
    if (elementCount(shapeOf(op.getInputs().front())) == 0) {
      elements.push_back({start}); // the operand is empty
      continue;
    }
    Lanes element = e.emit(input, tuple);
    if (inside) {
      bool isVector = element.isVector() || inside->getType()->isVectorTy();
      element.value = b.CreateSelect(inside, isVector ? e.splat(element.value) : element.value,
                                     isVector ? e.splat(start) : start);
    }
    elements.push_back(element);
  }
  return elements;
}

WindowReduction::Values WindowReduction::combine(Value *inside, ArrayRef<Value *> values) {
  Value *saved = e.activeLanes();
  if (inside) {
    Value *mask = e.splat(inside);
    e.setActiveLanes(saved ? b.CreateAnd(saved, mask) : mask);
  }
  e.pushScope();
  SmallVector<Lanes> arguments;
  for (Value *value : values) {
    arguments.push_back({value});
  }
  append_range(arguments, read(inside));
  SmallVector<Lanes> results;
  if (reducer && op.getInputs().size() == 1) {
    Lanes operands[2] = {arguments[0], arguments[1]};
    e.unify(operands);
    Value *combined = combineReduced(b, *reducer, type, operands[0].value, operands[1].value);
    results.push_back({e.observed(op, combined, saved)});
  } else {
    results = e.emitScalarRegion(op.getBody(), arguments);
  }
  Values next;
  for (Lanes result : results) {
    next.push_back(isUniform ? result.value : e.splat(result.value));
  }
  e.popScope();
  e.setActiveLanes(saved);
  return next;
}

WindowReduction::Values WindowReduction::nest(size_t dimension, Value *inside,
                                              ArrayRef<Value *> values) {
  if (dimension == extents.size()) {
    return combine(inside, values);
  }
  auto visit = [&](Value *windowPosition, ArrayRef<Value *> inner) {
    auto [position, within] = locate(dimension, windowPosition, inside);
    positions.push_back(position);
    Values next = nest(dimension + 1, within, inner);
    positions.pop_back();
    return next;
  };
  if (windows[dimension].constant() == 1) {
    return visit(b.getInt64(0), values);
  }
  return e.emitLoop(b.getInt64(0), e.extent(windows[dimension]), 1, values, visit);
}

//===- all reductions ----------------------------------------------------------===//

SmallVector<Lanes> ElementEmitter::emitReduceResults(mlir::Operation *op, const IndexTuple *at) {
  // If lanes share a result, all lanes compute it, not only the active lanes that request it.
  llvm::SaveAndRestore<Value *> mask(activeMask, at->isUniform ? nullptr : activeMask);
  if (auto window = dyn_cast<stablehlo::ReduceWindowOp>(op)) {
    return WindowReduction(*this, window, at).emit();
  }
  auto reduce = cast<stablehlo::ReduceOp>(op);
  // The loops need the result's index by dimension and as a row-major position, so both are
  // computed before the loops.
  (void)indices.dims(at);
  indices.linear(at);
  bool uniform = at->isUniform;
  ReducedSpace space = spaceOf(*this, reduce, at);
  std::optional<Reducer> reducer = knownReducer(reduce.getBody());
  if (reducer && reduce.getInputs().size() == 1) {
    return {emitKnownReduction(*this, *reducer, reduce, space, uniform)};
  }
  std::optional<SelectReducer> select;
  if (uniform && reducesInnermost(op) && reduce.getInputs().size() == 2) {
    select = selectReducer(reduce.getBody());
  }
  if (select) {
    return emitSelectReduction(*this, *select, reduce,
                               spaceOf(*this, reduce, at, /*byDimensions=*/true));
  }
  return emitGeneralReduction(*this, reduce.getBody(), reduce.getInputs(), reduce.getInitValues(),
                              space, uniform);
}

std::optional<Lanes> ElementEmitter::emitReduce(mlir::OpResult result, const IndexTuple *at) {
  mlir::Operation *op = result.getOwner();
  if (!isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op)) {
    return std::nullopt;
  }
  std::optional<SmallVector<Lanes>> made;
  if (hoisting && hoisting->reductions.contains(op)) {
    made = emitHoisted(op, at);
  }
  if (!made) {
    made = emitReduceResults(op, at);
  }
  // One traversal computes all results of the reduction.
  for (auto [i, lanesOfResult] : enumerate(*made)) {
    remember(op->getResult(static_cast<unsigned>(i)), at, lanesOfResult);
  }
  return (*made)[result.getResultNumber()];
}

} // namespace drumlin::codegen

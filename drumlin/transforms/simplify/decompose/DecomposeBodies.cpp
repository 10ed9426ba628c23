// Decomposes reductions, windows, scatters and sorts whose functions no kernel can apply, because
// the functions contain loops or tensors. Each such operation becomes a loop of the program, with
// the function inlined.
#include "drumlin/ir/stablehlo/MinOp.h"
#include "drumlin/ir/stablehlo/NotOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/RemOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "drumlin/ir/stablehlo/SortOp.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"
#include "drumlin/transforms/simplify/decompose/Lifting.h"

#include "drumlin/ir/sizes/SizeSymbols.h"

using namespace mlir;

namespace drumlin {

using stablehlo::ComparisonDirection;
using Values = SmallVector<Value>;

static SmallVector<int64_t> dimensionsOf(int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

static Value integer(TensorBuilder &b, const Size &value, const TensorShape &shape = {}) {
  return b.count(value, shape);
}

// Returns `size`, or 0 if `other` is 0.
static Size unlessEmpty(const Size &size, const Size &other) {
  return other.symbolic ? size * Size::smaller(other, 1) : size;
}

// Returns the sizes in an attribute of an operation.
static TensorShape sizesIn(Operation *op, StringRef attribute, ArrayRef<int64_t> nominal) {
  TensorShape made;
  for (auto [number, size] : llvm::zip_equal(nominal, symbolicSizesOf(op, attribute, nominal))) {
    made.push_back({number, size});
  }
  return made;
}

// Returns the low and high padding of a window in each dimension.
static SmallVector<std::pair<Size, Size>> paddingOf(Operation *op,
                                                    ArrayRef<std::pair<int64_t, int64_t>> padding) {
  SmallVector<int64_t> flat;
  for (auto [low, high] : padding) {
    flat.append({low, high});
  }
  TensorShape sizes = sizesIn(op, "padding", flat);
  SmallVector<std::pair<Size, Size>> made;
  for (size_t d = 0; d < padding.size(); ++d) {
    made.emplace_back(sizes[2 * d], sizes[2 * d + 1]);
  }
  return made;
}

// Converts values to the element types of the function's arguments, beginning with argument
// `first`.
static Values converted(TensorBuilder &b, ValueRange values, Block &body, size_t first) {
  Values made;
  for (auto [i, value] : llvm::enumerate(values)) {
    made.push_back(b.convert(value, TensorBuilder::elementOf(body.getArgument(first + i))));
  }
  return made;
}

static Values broadcastAll(TensorBuilder &b, ValueRange scalars, const TensorShape &shape) {
  return llvm::map_to_vector(scalars, [&](Value scalar) { return b.broadcast(scalar, shape); });
}

static Values concatenated(ValueRange first, ValueRange second) {
  Values all(first);
  llvm::append_range(all, second);
  return all;
}

//===-- reductions and windows ----------------------------------------------------------------===//

// Performs for each step, in order: carried = body(carried, values of the step). All values are
// tensors of one shape.
static Values combine(TensorBuilder &b, Block &body, Values carried, const Size &steps,
                      llvm::function_ref<Values(Value step)> taken) {
  TensorShape shape = TensorShape::of(carried.front());
  return b.countedLoop(integer(b, steps), carried,
                       [&](TensorBuilder &, Value step, ValueRange values) {
                         return applyToElements(b, body, concatenated(values, taken(step)), shape);
                       });
}

static Values reduce(TensorBuilder &b, stablehlo::ReduceOp op) {
  Block &body = op.getBody().front();
  TensorShape shape = TensorShape::of(op.getResult(0));
  SmallVector<int64_t> order(op.getDimensions());
  llvm::sort(order);
  TensorShape whole = TensorShape::of(op.getInputs().front());
  Size steps = 1;
  for (int64_t d : order) {
    steps = steps * whole[static_cast<size_t>(d)];
  }
  for (int64_t d : dimensionsOf(static_cast<int64_t>(whole.size()))) {
    if (!llvm::is_contained(op.getDimensions(), d)) {
      order.push_back(d);
    }
  }
  Values carried =
      broadcastAll(b, converted(b, op.getInitValues(), body, op.getInputs().size()), shape);
  if (steps.is(0) || shape.elements().is(0)) {
    return carried;
  }
  TensorShape rows = {steps};
  for (const Size &size : shape) {
    rows.push_back(size);
  }
  Values inputs;
  for (Value input : converted(b, op.getInputs(), body, 0)) {
    inputs.push_back(b.reshape(b.transpose(input, order), rows));
  }
  return combine(b, body, carried, steps, [&](Value step) {
    return llvm::map_to_vector(inputs, [&](Value input) { return b.sliceAt(input, 0, step); });
  });
}

// Returns the index in each dimension of a row-major position.
static Values indexOf(TensorBuilder &b, Value position, const TensorShape &shape) {
  Values index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    Value size = integer(b, shape[d]);
    index[d] = b.binary<stablehlo::RemOp>(position, size);
    position = b.divide(position, size);
  }
  return index;
}

// Returns a window's input with padding between and around its elements.
static Value padded(TensorBuilder &b, stablehlo::ReduceWindowOp op, Value input, Value value) {
  TensorShape from = TensorShape::of(input), low, high, interior, to;
  TensorShape dilations = sizesIn(op, "base_dilations", op.baseDilationsOrDefault());
  for (auto [size, padding, dilation] :
       llvm::zip_equal(from, paddingOf(op, op.paddingOrDefault()), dilations)) {
    low.push_back(padding.first);
    high.push_back(padding.second);
    interior.push_back(dilation - 1);
    Size between = dilation.is(1) ? 0 : Size::larger(size - 1, 0) * (dilation - 1);
    to.push_back(padding.first + size + between + padding.second);
  }
  auto list = [&](ArrayRef<int64_t> numbers) {
    return b.operations().getDenseI64ArrayAttr(numbers);
  };
  auto made = stablehlo::PadOp::create(
      b.operations(), b.location(), to.typeOf(TensorBuilder::elementOf(input)), input, value,
      list(low.nominal()), list(high.nominal()), list(interior.nominal()));
  setSymbolicSizes(made, made.getEdgePaddingLowAttrName(), low.expressions());
  setSymbolicSizes(made, made.getEdgePaddingHighAttrName(), high.expressions());
  setSymbolicSizes(made, made.getInteriorPaddingAttrName(), interior.expressions());
  return made;
}

static Values reduceWindow(TensorBuilder &b, stablehlo::ReduceWindowOp op) {
  Block &body = op.getBody().front();
  TensorShape shape = TensorShape::of(op.getResult(0));
  Values initial = converted(b, op.getInitValues(), body, op.getInputs().size());
  Values carried = broadcastAll(b, initial, shape);
  if (shape.elements().is(0)) {
    return carried;
  }
  TensorShape window = sizesIn(op, "window_dimensions", op.getWindowDimensions());
  TensorShape strides = sizesIn(op, "window_strides", op.windowStridesOrDefault());
  TensorShape dilations = sizesIn(op, "window_dilations", op.windowDilationsOrDefault());
  Values inputs;
  for (auto [input, value] : llvm::zip_equal(converted(b, op.getInputs(), body, 0), initial)) {
    inputs.push_back(padded(b, op, input, value));
  }
  // Elements at the same position of adjacent windows are a stride apart.
  TensorShape span;
  for (auto [size, stride] : llvm::zip_equal(shape, strides)) {
    span.push_back(stride.is(1) ? size : Size::larger((size - 1) * stride + 1, 0));
  }
  return combine(b, body, carried, window.elements(), [&](Value step) {
    Values starts = indexOf(b, step, window);
    for (auto [start, dilation] : llvm::zip_equal(starts, dilations)) {
      start = b.multiply(start, integer(b, dilation));
    }
    return llvm::map_to_vector(inputs, [&](Value input) {
      return b.everyOf(b.dynamicSlice(input, starts, span), shape, strides);
    });
  });
}

//===-- scatters ------------------------------------------------------------------------------===//

// Applies updates one after another: targets[positions[i]] = body(targets[positions[i]],
// updates[i]). Skips negative positions. Targets and updates have one dimension.
static Values accumulate(TensorBuilder &b, Block &body, Values targets, Value positions,
                         ValueRange updates) {
  Size count = TensorShape::of(positions).elements();
  Size elements = TensorShape::of(targets.front()).elements();
  if (count.is(0) || elements.is(0)) {
    return targets;
  }
  auto step = [&](TensorBuilder &, Value i, ValueRange carried) {
    Value position = b.sliceAt(positions, 0, i);
    Value isInside = b.compare(ComparisonDirection::GE, position, b.like(position, 0));
    Values old, arguments;
    for (Value target : carried) {
      old.push_back(b.sliceAt(target, 0, position));
    }
    arguments = old;
    for (Value update : updates) {
      arguments.push_back(b.sliceAt(update, 0, i));
    }
    Values made = applyToElements(b, body, arguments, {});
    for (auto [value, before, target] : llvm::zip_equal(made, old, carried)) {
      value = b.updateAt(target, b.select(isInside, value, before), 0, position);
    }
    return made;
  };
  return b.countedLoop(integer(b, unlessEmpty(count, elements)), targets, step);
}

namespace {
// Computes the row-major positions of a tensor's elements. The indices along each dimension are
// given as a tensor; all these tensors have one shape.
class Positions {
public:
  Positions(TensorBuilder &b, const TensorShape &at) : b(b), at(at), sum(integer(b, 0, at)) {}

  // Adds the next dimension.
  void add(Value index, const Size &size) {
    Value isInside = b.logicalAnd(b.compare(ComparisonDirection::GE, index, integer(b, 0, at)),
                                  b.compare(ComparisonDirection::LT, index, integer(b, size, at)));
    inside = inside ? b.logicalAnd(inside, isInside) : isInside;
    sum = b.add(b.multiply(sum, integer(b, size, at)), index);
  }
  // Returns the positions; they are -1 where an index is outside of its dimension.
  Value finish() { return inside ? b.select(inside, sum, integer(b, -1, at)) : sum; }

private:
  TensorBuilder &b;
  const TensorShape &at;
  Value sum, inside;
};
} // namespace

// Returns the position of the element that each update changes.
static Value targetsOf(TensorBuilder &b, stablehlo::ScatterOp op) {
  auto numbers = op.getScatterDimensionNumbers();
  TensorShape shape = TensorShape::of(op.getInputs().front());
  TensorShape updates = TensorShape::of(op.getUpdates().front());
  Type index = b.signedType(64);
  Value indices = op.getScatterIndices();
  if (Type element = TensorBuilder::elementOf(indices); element.isUnsignedInteger(64)) {
    // A position outside of every tensor, even after a window position is added.
    constexpr uint64_t outside = uint64_t(1) << 62;
    indices =
        b.binary<stablehlo::MinOp>(indices, b.integer(element, outside, TensorShape::of(indices)));
  }
  indices = b.convert(indices, index);
  int64_t vector = numbers.getIndexVectorDim();
  auto rank = static_cast<int64_t>(shapeOf(indices).size());
  // the dimensions of the updates that correspond to dimensions of the indices
  SmallVector<int64_t> along;
  for (int64_t d : dimensionsOf(static_cast<int64_t>(updates.size()))) {
    if (!llvm::is_contained(numbers.getUpdateWindowDims(), d)) {
      along.push_back(d);
    }
  }
  auto startOf = [&](size_t k) {
    Value start = indices;
    if (vector < rank) {
      auto at = static_cast<int64_t>(k);
      TensorShape without = TensorShape::of(indices);
      without.erase(static_cast<size_t>(vector));
      start = b.reshape(b.slice(indices, vector, at, at + 1), without);
    }
    return b.broadcast(start, updates, along);
  };
  Positions positions(b, updates);
  auto window = numbers.getUpdateWindowDims().begin();
  for (auto [d, size] : llvm::enumerate(shape)) {
    auto dimension = static_cast<int64_t>(d);
    Value place = integer(b, 0, updates);
    const auto *batch = llvm::find(numbers.getInputBatchingDims(), dimension);
    if (batch != numbers.getInputBatchingDims().end()) {
      int64_t of = numbers.getScatterIndicesBatchingDims()[static_cast<size_t>(
          batch - numbers.getInputBatchingDims().begin())];
      place = b.iota(index, updates, along[static_cast<size_t>(of - (vector < of ? 1 : 0))]);
    } else if (!llvm::is_contained(numbers.getInsertedWindowDims(), dimension)) {
      place = b.iota(index, updates, *window++);
    }
    const auto *indexed = llvm::find(numbers.getScatterDimsToOperandDims(), dimension);
    if (indexed != numbers.getScatterDimsToOperandDims().end()) {
      place = b.add(place, startOf(static_cast<size_t>(
                               indexed - numbers.getScatterDimsToOperandDims().begin())));
    }
    positions.add(place, size);
  }
  return positions.finish();
}

static Value flat(TensorBuilder &b, Value x) {
  return b.reshape(x, {TensorShape::of(x).elements()});
}

static Values flatAll(TensorBuilder &b, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return flat(b, value); });
}

static Values scatter(TensorBuilder &b, stablehlo::ScatterOp op) {
  Block &body = op.getUpdateComputation().front();
  size_t count = op.getInputs().size();
  Values made =
      accumulate(b, body, flatAll(b, converted(b, op.getInputs(), body, 0)),
                 flat(b, targetsOf(b, op)), flatAll(b, converted(b, op.getUpdates(), body, count)));
  TensorShape shape = TensorShape::of(op.getInputs().front());
  return llvm::map_to_vector(made, [&](Value value) { return b.reshape(value, shape); });
}

// Returns the position of the element that the function selects in each window, or -1 for a window
// of padding alone.
static Value selectedOf(TensorBuilder &b, stablehlo::SelectAndScatterOp op) {
  Block &body = op.getSelect().front();
  TensorShape windows = TensorShape::of(op.getSource()), shape = TensorShape::of(op.getOperand());
  TensorShape window = op.windowDimensionsOrDefault();
  SmallVector<int64_t> strides = op.windowStridesOrDefault();
  auto padding = paddingOf(op, op.paddingOrDefault());
  Value elements = flat(b, op.getOperand());
  Size steps = unlessEmpty(window.elements(), shape.elements());
  auto step = [&](TensorBuilder &, Value i, ValueRange carried) {
    Value selected = carried.front();
    Positions positions(b, windows);
    for (auto [d, offset] : llvm::enumerate(indexOf(b, i, window))) {
      Value first = b.multiply(b.iota(b.signedType(64), windows, static_cast<int64_t>(d)),
                               integer(b, strides[d], windows));
      Value shift = b.subtract(offset, integer(b, padding[d].first));
      positions.add(b.add(first, b.broadcast(shift, windows)), shape[d]);
    }
    Value position = positions.finish(), zero = integer(b, 0, windows);
    Value keeps =
        applyToElements(b, body, {b.take(elements, selected), b.take(elements, position)}, windows)
            .front();
    Value isFirst = b.compare(ComparisonDirection::LT, selected, zero);
    Value replaces = b.logicalOr(isFirst, b.unary<stablehlo::NotOp>(keeps));
    Value isInside = b.compare(ComparisonDirection::GE, position, zero);
    return Values{b.select(b.logicalAnd(isInside, replaces), position, selected)};
  };
  return b.countedLoop(integer(b, steps), integer(b, -1, windows), step).front();
}

static Values selectAndScatter(TensorBuilder &b, stablehlo::SelectAndScatterOp op) {
  Block &body = op.getScatter().front();
  Type element = TensorBuilder::elementOf(body.getArgument(0));
  TensorShape shape = TensorShape::of(op.getOperand());
  Value target = b.broadcast(b.convert(op.getInitValue(), element), {shape.elements()});
  if (!TensorShape::of(op.getSource()).elements().is(0) && !shape.elements().is(0)) {
    target = accumulate(b, body, {target}, flat(b, selectedOf(b, op)),
                        flat(b, b.convert(op.getSource(), element)))
                 .front();
  }
  return {b.reshape(target, shape)};
}

//===-- sorts ---------------------------------------------------------------------------------===//

// Returns whether the first of two elements, given by position, must precede the second.
static Value isBefore(TensorBuilder &b, Block &comparator, ValueRange lists, Value first,
                      Value second) {
  Values arguments;
  for (Value list : lists) {
    arguments.push_back(b.sliceAt(list, 0, first));
    arguments.push_back(b.sliceAt(list, 0, second));
  }
  return applyToElements(b, comparator, arguments, {}).front();
}

// Merges adjacent sorted runs of `width` elements, in consecutive lines of n elements. `order` has
// the positions of the elements, line by line.
static Value merge(TensorBuilder &b, Block &comparator, ValueRange lists, const Size &n,
                   Value order, Value width) {
  Value zero = integer(b, 0), length = integer(b, n);
  Value twice = b.add(width, width);
  auto smaller = [&](Value x, Value y) { return b.binary<stablehlo::MinOp>(x, y); };
  // `left` and `right` are the next elements of the two runs.
  auto step = [&](TensorBuilder &, Value i, ValueRange carried) {
    Value made = carried[0];
    Value place = b.binary<stablehlo::RemOp>(i, length), line = b.subtract(i, place);
    Value inRun = b.binary<stablehlo::RemOp>(place, twice), begin = b.subtract(place, inRun);
    Value middle = smaller(b.add(begin, width), length), end = smaller(b.add(begin, twice), length);
    Value starts = b.compare(ComparisonDirection::EQ, inRun, zero);
    Value left = b.select(starts, begin, carried[1]), right = b.select(starts, middle, carried[2]);
    Value leftElement = b.sliceAt(order, 0, b.add(line, left));
    Value rightElement = b.sliceAt(order, 0, b.add(line, right));
    Value hasLeft = b.compare(ComparisonDirection::LT, left, middle);
    Value hasRight = b.compare(ComparisonDirection::LT, right, end);
    // Equal elements keep their order: the right element is taken only if it must precede the left
    // one.
    Value takesRight = b.logicalAnd(
        hasRight, b.logicalOr(b.unary<stablehlo::NotOp>(hasLeft),
                              isBefore(b, comparator, lists, rightElement, leftElement)));
    Value one = integer(b, 1);
    return Values{b.updateAt(made, b.select(takesRight, rightElement, leftElement), 0, i),
                  b.select(takesRight, left, b.add(left, one)),
                  b.select(takesRight, b.add(right, one), right)};
  };
  Value count = integer(b, TensorShape::of(order).elements());
  return b.countedLoop(count, {order, zero, zero}, step).front();
}

// Sorts by merging (von Neumann 1945, in Knuth, The Art of Computer Programming 3, 5.2.4). The sort
// is stable and calls the comparator n log n times.
static Values sort(TensorBuilder &b, stablehlo::SortOp op) {
  Values inputs(op.getInputs());
  TensorShape shape = TensorShape::of(inputs.front());
  auto rank = static_cast<int64_t>(shape.size());
  int64_t dimension = static_cast<int64_t>(op.getDimension());
  dimension += dimension < 0 ? rank : 0;
  Size n = shape[static_cast<size_t>(dimension)], count = shape.elements();
  if (n.is(0) || n.is(1) || count.is(0)) {
    return inputs;
  }
  // Lines are along the last dimension, with which the sorted dimension is exchanged.
  SmallVector<int64_t> swapped = dimensionsOf(rank);
  std::swap(swapped[static_cast<size_t>(dimension)], swapped.back());
  TensorShape lines = shape;
  std::swap(lines[static_cast<size_t>(dimension)], lines[lines.size() - 1]);
  Values lists;
  for (Value input : inputs) {
    lists.push_back(flat(b, b.transpose(input, swapped)));
  }
  Type index = b.signedType(64);
  auto goesOn = [&](TensorBuilder &, ValueRange carried) {
    return b.compare(ComparisonDirection::LT, carried[1], integer(b, n));
  };
  auto step = [&](TensorBuilder &, ValueRange carried) {
    Value width = carried[1];
    return Values{merge(b, op.getComparator().front(), lists, n, carried[0], width),
                  b.add(width, width)};
  };
  Value order = b.whileLoop({b.iota(index, {count}, 0), integer(b, 1)}, goesOn, step).front();
  return llvm::map_to_vector(lists, [&](Value list) {
    return b.transpose(b.reshape(b.take(list, order), lines), swapped);
  });
}

//===-- operations that stay ------------------------------------------------------------------===//

template <typename Op, typename Make> static Replacements unlessApplied(Op op, Make make) {
  bool areApplied = llvm::all_of(
      op->getRegions(), [](Region &region) { return isFunctionOfScalars(region.front()); });
  if (areApplied) {
    return std::nullopt;
  }
  TensorBuilder b(op);
  return make(b, op);
}

Replacements decomposeBodies(Operation *op) {
  if (auto each = dyn_cast<stablehlo::ReduceOp>(op)) {
    return unlessApplied(each, reduce);
  }
  if (auto each = dyn_cast<stablehlo::ReduceWindowOp>(op)) {
    return unlessApplied(each, reduceWindow);
  }
  if (auto each = dyn_cast<stablehlo::ScatterOp>(op)) {
    return unlessApplied(each, scatter);
  }
  if (auto each = dyn_cast<stablehlo::SelectAndScatterOp>(op)) {
    return unlessApplied(each, selectAndScatter);
  }
  if (auto each = dyn_cast<stablehlo::SortOp>(op)) {
    return unlessApplied(each, sort);
  }
  return std::nullopt;
}

} // namespace drumlin

// Rewrites windows that begin before all elements, or end after all elements, as windows of all
// elements up to each position. Looks through padding and other data movement before the window.
// Marks windows with arbitrary bodies as prefix scans if the initial value is neutral.
#include "drumlin/transforms/simplify/ElementRange.h"
#include "drumlin/transforms/simplify/Passes.h"

#include "drumlin/interpreter/ConstantConversion.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

#include <cstring>

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_MARKPREFIXSCANSPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// Maximum steps of evaluating a body, since a loop in it may be endless.
static constexpr int64_t maxSteps = 1 << 12;

// Computes body(initial value, initial value): reduces a tensor of one element, which is the
// initial value.
static std::optional<Tensor> combineInitial(stablehlo::ReduceWindowOp window,
                                            const Tensor &initial) {
  OpBuilder builder(window);
  auto scalar = cast<RankedTensorType>(window.getInitValues().front().getType());
  Value init = window.getInitValues().front();
  auto element = stablehlo::ReshapeOp::create(builder, window.getLoc(), scalar.clone({1}), init);
  OperationState state(window.getLoc(), stablehlo::ReduceOp::getOperationName());
  state.addOperands({element.getResult(), init});
  state.addTypes(scalar);
  state.addAttribute("dimensions", builder.getDenseI64ArrayAttr({0}));
  IRMapping mapping;
  window.getBody().cloneInto(state.addRegion(), mapping);
  Operation *reduce = builder.create(state);
  InterpreterOptions options;
  options.maxSteps = maxSteps;
  Tensor one(initial.type(), {1});
  std::memcpy(one.data(), initial.data(), static_cast<size_t>(initial.bytes()));
  const Tensor operands[] = {one, initial};
  Result<std::vector<Tensor>> results = evaluate(reduce, operands, options);
  reduce->erase();
  element->erase();
  return results ? std::optional(results->front()) : std::nullopt;
}

// Returns whether combining the initial value with itself gives the initial value, so that
// positions outside of the operand change nothing.
static bool absorbsInitial(stablehlo::ReduceWindowOp window) {
  auto constant = window.getInitValues().front().getDefiningOp<stablehlo::ConstantOp>();
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(window->getRegions(), captured);
  if (!constant || !captured.empty()) {
    return false;
  }
  Result<Tensor> initial = tensorFromAttribute(constant.getValue());
  std::optional<Tensor> combined = initial ? combineInitial(window, *initial) : std::nullopt;
  return combined &&
         std::memcmp(combined->data(), initial->data(), static_cast<size_t>(initial->bytes())) == 0;
}

//===- windows behind data movement -----------------------------------------------------===//

namespace {
// A window along the only dimension in which its size isn't one. Result i combines positions [first
// + i, last + i] of `operand`, which has the initial value outside of its elements.
struct WindowLine {
  Value operand;
  int64_t dimension = 0;
  int64_t first = 0, last = 0, results = 0;
};

// Prefix windows that compute the same results: windows of all positions from `from` up to each of
// `size` positions, some of which may be outside of the operand. The results before `skipped` are
// not needed.
struct PrefixLine {
  int64_t from = 0, size = 0, skipped = 0;
  bool fromLast = false;
};
} // namespace

// Returns the line of a window, or nothing if the window has several dimensions, strides or
// dilations.
static std::optional<WindowLine> lineOf(stablehlo::ReduceWindowOp window) {
  auto isOne = [](int64_t number) { return number == 1; };
  if (window.getInputs().size() != 1 || window->hasAttr(sizedAttributes) ||
      hasSymbolicSizes(window.getInputs().front().getType()) ||
      llvm::is_contained(shapeOf(window.getResult(0)), 0) ||
      !llvm::all_of(window.windowStridesOrDefault(), isOne) ||
      !llvm::all_of(window.baseDilationsOrDefault(), isOne) ||
      !llvm::all_of(window.windowDilationsOrDefault(), isOne)) {
    return std::nullopt;
  }
  std::optional<WindowLine> line;
  for (auto [d, size] : llvm::enumerate(window.getWindowDimensions())) {
    auto [low, high] = window.paddingOrDefault()[d];
    if (size == 1 && low == 0 && high == 0) {
      continue;
    }
    if (line) {
      return std::nullopt;
    }
    line = WindowLine{window.getInputs().front(), static_cast<int64_t>(d), -low, size - 1 - low,
                      shapeOf(window.getResult(0))[d]};
  }
  return line;
}

// Makes the line read the operand of a padding with the initial value instead of the padded value.
static void readThroughPadding(WindowLine &line, DenseElementsAttr initial) {
  auto isAlong = [&](ArrayRef<int64_t> amounts) {
    for (auto [d, amount] : llvm::enumerate(amounts)) {
      if (amount != 0 && static_cast<int64_t>(d) != line.dimension) {
        return false;
      }
    }
    return true;
  };
  auto areNone = [](ArrayRef<int64_t> amounts) {
    return llvm::all_of(amounts, [](int64_t amount) { return amount == 0; });
  };
  while (auto pad = line.operand.getDefiningOp<stablehlo::PadOp>()) {
    auto d = static_cast<size_t>(line.dimension);
    int64_t low = pad.getEdgePaddingLow()[d];
    // Negative padding removes elements, and these may differ from the initial value.
    if (!isFilledWith(pad.getPaddingValue(), initial) || !areNone(pad.getInteriorPadding()) ||
        !isAlong(pad.getEdgePaddingLow()) || !isAlong(pad.getEdgePaddingHigh()) || low < 0 ||
        pad.getEdgePaddingHigh()[d] < 0) {
      return;
    }
    line.operand = pad.getOperand();
    line.first -= low;
    line.last -= low;
  }
}

// reduce_window(x), with windows that begin before x has elements  ==>  reduce_window(y) with
// windows of all elements up to each position. y is x from its first element on, padded with the
// initial value.
static std::optional<PrefixLine> prefixOf(const WindowLine &line, DenseElementsAttr initial,
                                          bool isOrdered) {
  ElementRange range = elementRange(line.operand, line.dimension, initial);
  if (range.size() == 0) {
    return std::nullopt;
  }
  int64_t more = line.results - 1;
  PrefixLine prefix;
  if (line.first + more <= range.begin) {
    // A non-commutative body gives another result if initial values follow the elements.
    if (isOrdered && line.last + more >= range.end) {
      return std::nullopt;
    }
    prefix.from = std::min(line.last, range.begin);
    prefix.size = line.last + more + 1 - prefix.from;
    prefix.skipped = line.last - prefix.from;
  } else if (line.last >= range.end - 1 && !isOrdered) {
    int64_t end = std::max(line.first + more, range.end - 1) + 1;
    prefix.from = line.first;
    prefix.size = end - prefix.from;
    prefix.fromLast = true;
  } else {
    return std::nullopt;
  }
  // For few results, separate sums are cheaper.
  return prefix.size <= 2 * line.results ? std::optional(prefix) : std::nullopt;
}

// Returns positions [from, from + size) of the line's operand.
static Value cutOut(OpBuilder &builder, Location loc, const WindowLine &line, int64_t from,
                    int64_t size, Value initial) {
  auto type = cast<RankedTensorType>(line.operand.getType());
  auto d = static_cast<size_t>(line.dimension);
  SmallVector<int64_t> shape(type.getShape()), low(shape.size(), 0), high(low), none(low);
  low[d] = -from;
  high[d] = from + size - shape[d];
  if (low[d] == 0 && high[d] == 0) {
    return line.operand;
  }
  shape[d] = size;
  return stablehlo::PadOp::create(builder, loc, type.clone(shape), line.operand, initial, low, high,
                                  none);
}

static void apply(stablehlo::ReduceWindowOp window, const WindowLine &line,
                  const PrefixLine &prefix) {
  OpBuilder builder(window);
  Location loc = window.getLoc();
  Value operand =
      cutOut(builder, loc, line, prefix.from, prefix.size, window.getInitValues().front());
  auto type = cast<RankedTensorType>(operand.getType());
  auto d = static_cast<size_t>(line.dimension);
  auto rank = static_cast<int64_t>(type.getRank());
  SmallVector<int64_t> sizes(static_cast<size_t>(rank), 1);
  SmallVector<int64_t> padding(2 * static_cast<size_t>(rank), 0);
  sizes[d] = prefix.size;
  padding[2 * d + (prefix.fromLast ? 1 : 0)] = prefix.size - 1;
  OperationState state(loc, window->getName());
  state.addOperands({operand, window.getInitValues().front()});
  auto made = cast<RankedTensorType>(window.getResult(0).getType());
  state.addTypes(made.clone(type.getShape()));
  state.addAttribute("window_dimensions", builder.getDenseI64ArrayAttr(sizes));
  state.addAttribute(
      "padding", DenseIntElementsAttr::get(RankedTensorType::get({rank, 2}, builder.getI64Type()),
                                           ArrayRef<int64_t>(padding)));
  IRMapping mapping;
  window.getBody().cloneInto(state.addRegion(), mapping);
  Value result = builder.create(state)->getResult(0);
  if (prefix.size != line.results) {
    SmallVector<int64_t> starts(static_cast<size_t>(rank), 0), limits(type.getShape()),
        ones(static_cast<size_t>(rank), 1);
    starts[d] = prefix.skipped;
    limits[d] = prefix.skipped + line.results;
    result = stablehlo::SliceOp::create(builder, loc, made, result, starts, limits, ones);
  }
  window.getResult(0).replaceAllUsesWith(result);
  window.erase();
}

// Rewrites windows as prefix windows if they are equivalent to them.
static void alignWindows(stablehlo::ReduceWindowOp window) {
  std::optional<WindowLine> line = lineOf(window);
  auto constant = window.getInitValues().front().getDefiningOp<stablehlo::ConstantOp>();
  auto initial = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!line || !initial || prefixWindows(window)) {
    return;
  }
  bool isKnown = knownReducer(window.getBody()).has_value();
  if (isKnown ? !isNeutral(window) : !absorbsInitial(window)) {
    return;
  }
  readThroughPadding(*line, initial);
  if (std::optional<PrefixLine> prefix = prefixOf(*line, initial, /*isOrdered=*/!isKnown)) {
    apply(window, *line, *prefix);
  }
}

namespace {
struct MarkPrefixScansPass : impl::MarkPrefixScansPassBase<MarkPrefixScansPass> {
  void runOnOperation() override {
    SmallVector<stablehlo::ReduceWindowOp> windows;
    getOperation().walk([&](stablehlo::ReduceWindowOp window) { windows.push_back(window); });
    llvm::for_each(windows, alignWindows);
    windows.clear();
    getOperation().walk([&](stablehlo::ReduceWindowOp window) {
      std::optional<PrefixWindows> prefixes = prefixWindows(window);
      if (prefixes && !prefixes->fromLast && !knownReducer(window.getBody())) {
        windows.push_back(window);
      }
    });
    for (stablehlo::ReduceWindowOp window : windows) {
      if (absorbsInitial(window)) {
        window->setAttr(prefixScanAttribute, UnitAttr::get(&getContext()));
      }
    }
  }
};
} // namespace

} // namespace drumlin

// Verifiers and accessors of sliding windows.
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/WindowOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Window.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addWindowOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Window.cpp.inc"
      >();
}

//===-- reduce_window -------------------------------------------------------------------------===//

SmallVector<int64_t> ReduceWindowOp::windowStridesOrDefault() {
  return numbersOr(getWindowStrides(), getWindowDimensions().size(), 1);
}
SmallVector<int64_t> ReduceWindowOp::baseDilationsOrDefault() {
  return numbersOr(getBaseDilations(), getWindowDimensions().size(), 1);
}
SmallVector<int64_t> ReduceWindowOp::windowDilationsOrDefault() {
  return numbersOr(getWindowDilations(), getWindowDimensions().size(), 1);
}
SmallVector<std::pair<int64_t, int64_t>> ReduceWindowOp::paddingOrDefault() {
  return *paddingPairs(getPadding(), getWindowDimensions().size());
}

static LogicalResult checkPadding(EmitError emit, StringRef label,
                                  std::optional<DenseIntElementsAttr> padding, size_t rank) {
  if (succeeded(paddingPairs(padding, rank))) {
    return success();
  }
  return emit() << "expects padding of shape " << str({static_cast<int64_t>(rank), 2}) << ", got "
                << str(padding->getType().getShape()) << " (" << label << ")";
}

static LogicalResult checkWindow(ReduceWindowOp op, size_t rank) {
  auto emit = [&] { return op.emitOpError(); };
  ArrayRef<int64_t> sizes = op.getWindowDimensions();
  // reduce_window_c4, reduce_window_c5
  if (failed(checkSize(emit, "reduce_window_c4", "window dimensions", sizes.size(), rank)) ||
      failed(checkAtLeast(emit, "reduce_window_c5", "window dimensions", sizes, 1))) {
    return failure();
  }
  SmallVector<int64_t> strides = op.windowStridesOrDefault();
  SmallVector<int64_t> baseDilations = op.baseDilationsOrDefault();
  SmallVector<int64_t> windowDilations = op.windowDilationsOrDefault();
  // reduce_window_c6, reduce_window_c7
  if (failed(checkSize(emit, "reduce_window_c6", "window strides", strides.size(), rank)) ||
      failed(checkAtLeast(emit, "reduce_window_c7", "window strides", strides, 1))) {
    return failure();
  }
  // reduce_window_c8, reduce_window_c9
  if (failed(checkSize(emit, "reduce_window_c8", "base dilations", baseDilations.size(), rank)) ||
      failed(checkAtLeast(emit, "reduce_window_c9", "base dilations", baseDilations, 1))) {
    return failure();
  }
  // reduce_window_c10, reduce_window_c11
  if (failed(
          checkSize(emit, "reduce_window_c10", "window dilations", windowDilations.size(), rank)) ||
      failed(checkAtLeast(emit, "reduce_window_c11", "window dilations", windowDilations, 1))) {
    return failure();
  }
  // reduce_window_c12
  return checkPadding(emit, "reduce_window_c12", op.getPadding(), rank);
}

LogicalResult ReduceWindowOp::verify() {
  auto emit = [&] { return emitOpError(); };
  size_t n = getInputs().size();
  // reduce_window_c1
  if (n == 0) {
    return emitOpError() << "expects at least one input (reduce_window_c1)";
  }
  if (failed(checkSize(emit, "reduce_window_c1", "results", getNumResults(), n))) {
    return failure();
  }
  ArrayRef<int64_t> shape = shapeOf(getInputs()[0]);
  for (auto [input, init] : llvm::zip_equal(getInputs(), getInitValues())) {
    // reduce_window_c2, reduce_window_c3
    if (failed(checkShape(emit, "reduce_window_c2", "each input", shapeOf(input), shape)) ||
        failed(checkElementType(emit, "reduce_window_c3", "the init value", init.getType(),
                                input.getType()))) {
      return failure();
    }
  }
  if (failed(checkWindow(*this, shape.size()))) {
    return failure();
  }
  // reduce_window_c13
  FailureOr<SmallVector<Type>> elements =
      checkReducer(emit, "reduce_window_c13", "the body", getBody(), getInputs().getTypes());
  if (failed(elements)) {
    return failure();
  }
  // reduce_window_c15
  SmallVector<int64_t> strides = windowStridesOrDefault(), baseDilations = baseDilationsOrDefault();
  SmallVector<int64_t> windowDilations = windowDilationsOrDefault(), expected;
  SmallVector<std::pair<int64_t, int64_t>> padding = paddingOrDefault();
  for (size_t d = 0; d < shape.size(); ++d) {
    std::optional<int64_t> count =
        windowCount(shape[d], {getWindowDimensions()[d], strides[d], padding[d].first,
                               padding[d].second, baseDilations[d], windowDilations[d]});
    if (!count) {
      return emitOpError() << "has a window over dimension " << d
                           << " whose size overflows 64 bits (reduce_window_c15)";
    }
    expected.push_back(*count);
  }
  for (auto [result, element] : llvm::zip_equal(getResults(), *elements)) {
    // reduce_window_c15 for the first result, reduce_window_c14 for all other results, and
    // reduce_window_c16.
    StringRef label = result == getResults().front() ? "reduce_window_c15" : "reduce_window_c14";
    if (failed(checkShape(emit, label, "each result", shapeOf(result), expected)) ||
        failed(
            checkElementType(emit, "reduce_window_c16", "the result", result.getType(), element))) {
      return failure();
    }
  }
  return success();
}

//===-- select_and_scatter --------------------------------------------------------------------===//

SmallVector<int64_t> SelectAndScatterOp::windowDimensionsOrDefault() {
  return numbersOr(getWindowDimensions(), getOperand().getType().getRank(), 1);
}
SmallVector<int64_t> SelectAndScatterOp::windowStridesOrDefault() {
  return numbersOr(getWindowStrides(), getOperand().getType().getRank(), 1);
}
SmallVector<std::pair<int64_t, int64_t>> SelectAndScatterOp::paddingOrDefault() {
  return *paddingPairs(getPadding(), getOperand().getType().getRank());
}

// select_and_scatter_c9: `select` has type (E, E) -> i1.
static LogicalResult checkSelect(SelectAndScatterOp op) {
  auto emit = [&] { return op.emitOpError(); };
  StringRef label = "select_and_scatter_c9";
  Type scalar = RankedTensorType::get({}, op.getOperand().getType().getElementType());
  Type pred = RankedTensorType::get({}, IntegerType::get(op.getContext(), 1));
  if (failed(checkTypes(emit, label, "the select region's arguments",
                        op.getSelect().front().getArgumentTypes(), {scalar, scalar}))) {
    return failure();
  }
  FailureOr<OperandRange> returned =
      returnedValues(emit, label, "the select region", op.getSelect());
  return success(succeeded(returned) &&
                 succeeded(checkTypes(emit, label, "the select region's results",
                                      returned->getTypes(), {pred})));
}

LogicalResult SelectAndScatterOp::verify() {
  auto emit = [&] { return emitOpError(); };
  RankedTensorType operand = getOperand().getType();
  size_t rank = operand.getRank();
  // select_and_scatter_c1, select_and_scatter_c3
  if (failed(checkElementType(emit, "select_and_scatter_c1", "source", getSource().getType(),
                              operand)) ||
      failed(checkElementType(emit, "select_and_scatter_c3", "init_value", getInitValue().getType(),
                              operand))) {
    return failure();
  }
  SmallVector<int64_t> sizes = windowDimensionsOrDefault(), strides = windowStridesOrDefault();
  // The window's sizes have no default value.
  size_t windowRank = getWindowDimensions() ? sizes.size() : 0;
  // select_and_scatter_c4, select_and_scatter_c5, select_and_scatter_c6, select_and_scatter_c7,
  // select_and_scatter_c8
  if (failed(checkSize(emit, "select_and_scatter_c4", "window dimensions", windowRank, rank)) ||
      failed(checkAtLeast(emit, "select_and_scatter_c5", "window dimensions", sizes, 1)) ||
      failed(checkSize(emit, "select_and_scatter_c6", "window strides", strides.size(), rank)) ||
      failed(checkAtLeast(emit, "select_and_scatter_c7", "window strides", strides, 1)) ||
      failed(checkPadding(emit, "select_and_scatter_c8", getPadding(), rank)) ||
      failed(checkSelect(*this))) {
    return failure();
  }
  // select_and_scatter_c10
  FailureOr<SmallVector<Type>> elements = checkReducer(
      emit, "select_and_scatter_c10", "the scatter region", getScatter(), TypeRange(operand));
  if (failed(elements)) {
    return failure();
  }
  // select_and_scatter_c2
  SmallVector<int64_t> expected;
  SmallVector<std::pair<int64_t, int64_t>> padding = paddingOrDefault();
  for (size_t d = 0; d < rank; ++d) {
    std::optional<int64_t> count = windowCount(
        operand.getDimSize(d), {sizes[d], strides[d], padding[d].first, padding[d].second, 1, 1});
    if (!count) {
      return emitOpError() << "has a window over dimension " << d
                           << " whose size overflows 64 bits (select_and_scatter_c2)";
    }
    expected.push_back(*count);
  }
  if (failed(checkShape(emit, "select_and_scatter_c2", "source", shapeOf(getSource()), expected))) {
    return failure();
  }
  // select_and_scatter_c11, select_and_scatter_c12
  return success(succeeded(checkShape(emit, "select_and_scatter_c11", "the result",
                                      getType().getShape(), operand.getShape())) &&
                 succeeded(checkElementType(emit, "select_and_scatter_c12", "the result", getType(),
                                            elements->front())));
}

//===-- indexing ------------------------------------------------------------------------------===//

IndexingMap ReduceWindowOp::indexingOf(OpOperand &operand, unsigned result) {
  if (operand.getOperandNumber() >= getInputs().size()) {
    return indexingByDefault(operand, result);
  }
  IndexingBuilder made = indexingBuilder(operand, result);
  auto strides = windowStridesOrDefault(), windowDilations = windowDilationsOrDefault();
  auto baseDilations = baseDilationsOrDefault();
  auto padding = paddingOrDefault();
  for (auto [d, size] : llvm::enumerate(shapeOf(operand.get()))) {
    AffineExpr inWindow = made.all(getWindowDimensions()[d]);
    made.at(d) =
        made.undilated(made.dim(d) * strides[d] + inWindow * windowDilations[d] - padding[d].first,
                       baseDilations[d], size);
  }
  return made.finish();
}

// An element of the result receives the source values of all windows that select it. Whether a
// window selects it depends on all operand elements in the window.
IndexingMap SelectAndScatterOp::indexingOf(OpOperand &operand, unsigned result) {
  if (operand.getOperandNumber() > 1) {
    return indexingByDefault(operand, result);
  }
  IndexingBuilder made = indexingBuilder(operand, result);
  auto sizes = windowDimensionsOrDefault(), strides = windowStridesOrDefault();
  auto padding = paddingOrDefault();
  for (auto [d, size] : llvm::enumerate(shapeOf(getOperand()))) {
    AffineExpr window = made.all(shapeOf(getSource())[d]);
    AffineExpr begin = window * strides[d] - padding[d].first;
    made.constrain(made.dim(d) - begin, 0, sizes[d] - 1);
    if (operand.getOperandNumber() == 1) {
      made.at(d) = window;
    } else {
      made.at(d) = begin + made.all(sizes[d]);
      made.constrain(made.at(d), 0, size - 1);
    }
  }
  return made.finish();
}

} // namespace drumlin::stablehlo

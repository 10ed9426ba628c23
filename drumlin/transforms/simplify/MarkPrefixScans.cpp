// reduce_window of any body  ==>  the same, marked as a prefix scan, where its initial value counts
// for nothing
#include "drumlin/transforms/simplify/Passes.h"

#include "drumlin/interpreter/ConstantConversion.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

#include <cstring>

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_MARKPREFIXSCANSPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// A body runs an operation at a time; a loop in it may have no end.
static constexpr int64_t maxSteps = 1 << 12;

// body(initial value, initial value), as the reduction of one such element.
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

// Whether positions outside of the operand, where the initial value counts, change nothing.
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

namespace {
struct MarkPrefixScansPass : impl::MarkPrefixScansPassBase<MarkPrefixScansPass> {
  void runOnOperation() override {
    SmallVector<stablehlo::ReduceWindowOp> windows;
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

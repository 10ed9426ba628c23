// Replaces custom calls by operations. Markers of sharding and of order do nothing on one device.
// Approximate selections of the top k elements become exact ones.
#include "drumlin/ir/stablehlo/CustomCallOp.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/ir/stablehlo/SortOp.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/HostCalls.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace drumlin {

Replacements decomposeCustomCall(Operation *op) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  if (!call) {
    return std::nullopt;
  }
  StringRef target = call.getCallTargetName();
  if (isDeviceMark(call)) {
    return SmallVector<Value>(call.getInputs());
  }
  if (isOrderMark(call)) {
    return SmallVector<Value>();
  }
  TensorBuilder b(op);
  // The contents of the buffer are undefined.
  if (target == "AllocateBuffer" && call.getInputs().empty() && call.getNumResults() == 1) {
    Value result = call.getResult(0);
    return SmallVector<Value>{b.zero(TensorBuilder::elementOf(result), shapeOf(result))};
  }
  if (target == "TopK" && call.getInputs().size() == 1 && call.getNumResults() == 2) {
    ArrayRef<int64_t> shape = shapeOf(call.getResult(0));
    if (shape.empty()) {
      return std::nullopt;
    }
    auto made = chlo::TopKOp::create(b.operations(), b.location(), call.getResultTypes(),
                                     call.getInputs().front(), static_cast<uint64_t>(shape.back()));
    return SmallVector<Value>(made->getResults());
  }
  return std::nullopt;
}

// Returns whether the results are the leading elements of tensors of one static shape.
static bool areParts(stablehlo::CustomCallOp call, int64_t dimension) {
  auto first = dyn_cast<RankedTensorType>(call.getInputs().front().getType());
  return first && dimension >= 0 && dimension < first.getRank() &&
         llvm::all_of(
             call->getOpResults(),
             [&](OpResult result) {
               auto all =
                   dyn_cast<RankedTensorType>(call.getInputs()[result.getResultNumber()].getType());
               auto some = dyn_cast<RankedTensorType>(result.getType());
               return all && some && all.hasStaticShape() && some.hasStaticShape() &&
                      all.getRank() == some.getRank() &&
                      all.getElementType() == some.getElementType() &&
                      all.getShape() == first.getShape() &&
                      some.getDimSize(dimension) <= all.getDimSize(dimension);
             });
}

void sortApproximately(ModuleOp module, Ledger &ledger) {
  SmallVector<stablehlo::CustomCallOp> calls;
  module.walk([&](stablehlo::CustomCallOp call) { calls.push_back(call); });
  SymbolTable symbols(module);
  for (stablehlo::CustomCallOp call : calls) {
    std::optional<FirstElements> first = firstElementsOf(call);
    auto comparator =
        first ? symbols.lookup<func::FuncOp>(first->comparator.getValue()) : func::FuncOp();
    if (!comparator || !comparator.getBody().hasOneBlock() ||
        comparator.getNumArguments() != call.getInputs().size() ||
        !areParts(call, first->dimension)) {
      continue;
    }
    ledger.record(Rule::InlineCall, call, Decision::taken());
    TensorBuilder b(call);
    OpBuilder &builder = b.operations();
    OperandRange values = call.getInputs().take_front(call.getNumResults());
    OperationState state(call.getLoc(), stablehlo::SortOp::getOperationName());
    state.addOperands(values);
    state.addTypes(values.getTypes());
    state.addAttribute("dimension", builder.getI64IntegerAttr(first->dimension));
    state.addAttribute("is_stable", builder.getBoolAttr(true));
    IRMapping mapping;
    comparator.getBody().cloneInto(state.addRegion(), mapping);
    Operation *sorted = builder.create(state);
    Operation *end = sorted->getRegion(0).front().getTerminator();
    OpBuilder atEnd(end);
    stablehlo::ReturnOp::create(atEnd, end->getLoc(), end->getOperands());
    end->erase();
    for (auto [result, all] : llvm::zip(call.getResults(), sorted->getResults())) {
      int64_t kept = shapeOf(result)[static_cast<size_t>(first->dimension)];
      result.replaceAllUsesWith(b.slice(all, first->dimension, 0, kept));
    }
    call.erase();
  }
}

} // namespace drumlin

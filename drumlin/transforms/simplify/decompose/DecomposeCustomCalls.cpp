// Custom calls that are other operations: marks of a program for several devices, which one device
// leaves as they are, and the largest elements, exactly where a call asks for approximate ones.
#include "drumlin/transforms/simplify/decompose/Decompose.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace drumlin {

static constexpr StringLiteral marks[] = {"Sharding", "SPMDFullToShardShape",
                                          "SPMDShardToFullShape", "annotate_device_placement",
                                          "LayoutConstraint"};

Replacements decomposeCustomCall(Operation *op) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  if (!call) {
    return std::nullopt;
  }
  StringRef target = call.getCallTargetName();
  if (llvm::is_contained(marks, target) &&
      llvm::equal(call.getOperandTypes(), call.getResultTypes())) {
    return SmallVector<Value>(call.getInputs());
  }
  TensorBuilder b(op);
  // Memory of any contents.
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

// operands: n tensors, n initial values. The comparator is a function of the program.
static bool sortsAlong(stablehlo::CustomCallOp call, SymbolTable &symbols, int64_t &dimension,
                       func::FuncOp &comparator) {
  auto config = dyn_cast_or_null<DictionaryAttr>(call->hasAttr("mhlo.backend_config")
                                                     ? call->getAttr("mhlo.backend_config")
                                                     : call.getBackendConfigAttr());
  auto along = config ? config.getAs<IntegerAttr>("reduction_dim") : IntegerAttr();
  ArrayAttr called = call.getCalledComputations();
  size_t count = call.getNumResults();
  if (call.getCallTargetName() != "ApproxTopK" || !along || count == 0 || called.size() != 1 ||
      call.getInputs().size() != 2 * count) {
    return false;
  }
  dimension = along.getInt();
  comparator = symbols.lookup<func::FuncOp>(cast<FlatSymbolRefAttr>(called[0]).getValue());
  auto first = dyn_cast<RankedTensorType>(call.getInputs().front().getType());
  if (!comparator || !comparator.getBody().hasOneBlock() || !first || dimension < 0 ||
      dimension >= first.getRank() || comparator.getNumArguments() != 2 * count) {
    return false;
  }
  auto isPart = [&](Type from, Type to) {
    auto all = dyn_cast<RankedTensorType>(from), some = dyn_cast<RankedTensorType>(to);
    return all && some && all.hasStaticShape() && some.hasStaticShape() &&
           all.getRank() == some.getRank() && all.getElementType() == some.getElementType() &&
           all.getShape() == first.getShape() &&
           some.getDimSize(dimension) <= all.getDimSize(dimension);
  };
  return llvm::all_of(llvm::seq<unsigned>(0, count), [&](unsigned i) {
    return isPart(call.getInputs()[i].getType(), call.getResult(i).getType());
  });
}

void sortApproximately(ModuleOp module, Ledger &ledger) {
  SmallVector<stablehlo::CustomCallOp> calls;
  module.walk([&](stablehlo::CustomCallOp call) { calls.push_back(call); });
  SymbolTable symbols(module);
  for (stablehlo::CustomCallOp call : calls) {
    int64_t dimension = 0;
    func::FuncOp comparator;
    if (!sortsAlong(call, symbols, dimension, comparator)) {
      continue;
    }
    ledger.record(Rule::InlineCall, call, Decision::taken());
    TensorBuilder b(call);
    OpBuilder &builder = b.operations();
    OperandRange values = call.getInputs().take_front(call.getNumResults());
    OperationState state(call.getLoc(), stablehlo::SortOp::getOperationName());
    state.addOperands(values);
    state.addTypes(values.getTypes());
    state.addAttribute("dimension", builder.getI64IntegerAttr(dimension));
    state.addAttribute("is_stable", builder.getBoolAttr(true));
    IRMapping mapping;
    comparator.getBody().cloneInto(state.addRegion(), mapping);
    Operation *sorted = builder.create(state);
    Operation *end = sorted->getRegion(0).front().getTerminator();
    OpBuilder atEnd(end);
    stablehlo::ReturnOp::create(atEnd, end->getLoc(), end->getOperands());
    end->erase();
    for (auto [result, all] : llvm::zip(call.getResults(), sorted->getResults())) {
      int64_t kept = shapeOf(result)[static_cast<size_t>(dimension)];
      result.replaceAllUsesWith(b.slice(all, dimension, 0, kept));
    }
    call.erase();
  }
}

} // namespace drumlin

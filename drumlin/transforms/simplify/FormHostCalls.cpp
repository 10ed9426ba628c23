// Rewrites calls of code outside of the program, and data transfers while the program runs, as
// `plan.host_call`. Removes tokens: calls with side effects are never reordered, so program order
// suffices.
#include "drumlin/ir/plan/HostCallOp.h"
#include "drumlin/ir/plan/HostCalls.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/transforms/simplify/Passes.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"

#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/AfterAllOp.h"
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/CreateTokenOp.h"
#include "drumlin/ir/stablehlo/GetTupleElementOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/OptimizationBarrierOp.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "drumlin/ir/stablehlo/TupleOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_FORMHOSTCALLSPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

//===-- calls ---------------------------------------------------------------------------------===//

static bool isToken(Type type) { return isa<stablehlo::TokenType>(type); }

// Returns whether the type's sizes are static, or are known from the pass `resolve-sizes`.
static bool isOfKnownSizes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && (!tensor.getEncoding() || hasSymbolicSizes(tensor));
}

static Value transposed(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> order) {
  auto type = cast<RankedTensorType>(value.getType());
  return stablehlo::TransposeOp::create(builder, loc, physicalType(type, order), value,
                                        builder.getDenseI64ArrayAttr(order));
}

static bool isOrdered(ArrayRef<DimensionOrder> orders, size_t i) {
  return i < orders.size() && !isRowMajor(orders[i]);
}

static ArrayAttr layoutsAttr(OpBuilder &builder, ArrayRef<DimensionOrder> orders) {
  if (llvm::all_of(orders, [](const DimensionOrder &order) { return isRowMajor(order); })) {
    return {};
  }
  SmallVector<Attribute> layouts;
  for (const DimensionOrder &order : orders) {
    layouts.push_back(layoutAttr(builder.getContext(), order));
  }
  return builder.getArrayAttr(layouts);
}

// Replaces tuples by their elements.
static SmallVector<Value> elementsOfTuples(OpBuilder &builder, Location loc, ValueRange values) {
  SmallVector<Value> elements;
  for (Value value : values) {
    auto tuple = dyn_cast<TupleType>(value.getType());
    if (!tuple) {
      elements.push_back(value);
      continue;
    }
    SmallVector<Value> parts;
    for (unsigned i = 0; i < tuple.size(); ++i) {
      auto made = value.getDefiningOp<stablehlo::TupleOp>();
      parts.push_back(made ? made.getOperand(i)
                           : Value(stablehlo::GetTupleElementOp::create(
                                 builder, loc, tuple.getType(i), value, i)));
    }
    llvm::append_range(elements, elementsOfTuples(builder, loc, parts));
  }
  return elements;
}

static void formCall(Operation *op, const HostCallParts &parts, Value token) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  // A tuple that is the only result is replaced by its elements.
  auto tuple =
      op->getNumResults() == 1 ? dyn_cast<TupleType>(op->getResult(0).getType()) : TupleType();
  TypeRange resultTypes = parts.signature.getResults();
  auto isValue = [](Type type) { return isToken(type) || isOfKnownSizes(type); };
  if (!llvm::all_of(parts.signature.getInputs(), isValue) || !llvm::all_of(resultTypes, isValue)) {
    return;
  }
  SmallVector<Value> inputs;
  for (auto [i, operand] : llvm::enumerate(elementsOfTuples(builder, loc, op->getOperands()))) {
    if (!isToken(operand.getType())) {
      inputs.push_back(isOrdered(parts.operandOrders, i)
                           ? transposed(builder, loc, operand, parts.operandOrders[i])
                           : operand);
    }
  }
  SmallVector<Type> outputs;
  for (auto [i, type] : llvm::enumerate(resultTypes)) {
    if (!isToken(type)) {
      outputs.push_back(isOrdered(parts.resultOrders, i)
                            ? physicalType(cast<RankedTensorType>(type), parts.resultOrders[i])
                            : type);
    }
  }
  auto call = plan::HostCallOp::create(
      builder, loc, outputs, inputs,
      plan::HostInterfaceAttr::get(op->getContext(), parts.interface),
      builder.getStringAttr(parts.target), TypeAttr::get(parts.signature), parts.config,
      layoutsAttr(builder, parts.operandOrders), layoutsAttr(builder, parts.resultOrders),
      parts.aliases.empty() ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(parts.aliases),
      parts.hasSideEffect ? builder.getUnitAttr() : UnitAttr());
  SmallVector<Value> results;
  unsigned next = 0;
  for (auto [i, type] : llvm::enumerate(resultTypes)) {
    if (isToken(type)) {
      results.push_back(token);
      continue;
    }
    Value result = call.getOutputs()[next++];
    results.push_back(isOrdered(parts.resultOrders, i)
                          ? transposed(builder, loc, result, inverseOrder(parts.resultOrders[i]))
                          : result);
  }
  if (tuple) {
    results = {stablehlo::TupleOp::create(builder, loc, tuple, results)};
  }
  op->replaceAllUsesWith(results);
  op->erase();
  if (tuple) {
    for (Operation *user : llvm::make_early_inc_range(results.front().getUsers())) {
      decomposeTuple(user);
    }
  }
}

//===-- tokens --------------------------------------------------------------------------------===//

static bool hasToken(TypeRange types) { return llvm::any_of(types, isToken); }

static void dropTokenOperands(Operation *op) {
  llvm::BitVector dropped(op->getNumOperands());
  for (OpOperand &operand : op->getOpOperands()) {
    dropped[operand.getOperandNumber()] = isToken(operand.get().getType());
  }
  op->eraseOperands(dropped);
}

static void dropTokenArguments(Block &block) {
  block.eraseArguments([](BlockArgument argument) { return isToken(argument.getType()); });
}

// Drops an operation's tokens, which are unused.
static void dropTokens(Operation *op) {
  for (Region &region : op->getRegions()) {
    for (Block &block : region) {
      dropTokenArguments(block);
      dropTokenOperands(block.getTerminator());
    }
  }
  dropTokenOperands(op);
  if (!hasToken(op->getResultTypes())) {
    return;
  }
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addAttributes(op->getAttrs());
  for (Region &region : op->getRegions()) {
    state.addRegion()->takeBody(region);
  }
  SmallVector<Value> kept;
  for (Value result : op->getResults()) {
    if (!isToken(result.getType())) {
      kept.push_back(result);
      state.addTypes(result.getType());
    }
  }
  Operation *made = builder.create(state);
  for (auto [from, to] : llvm::zip(kept, made->getResults())) {
    from.replaceAllUsesWith(to);
  }
  op->erase();
}

static constexpr StringLiteral donation = "tf.aliasing_output";

// Removes tokens from a function's arguments and results, and renumbers the results that donations
// name.
static void dropTokensOfSignature(func::FuncOp function) {
  llvm::BitVector arguments(function.getNumArguments()), results(function.getNumResults());
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    arguments[i] = isToken(type);
  }
  SmallVector<int64_t> places;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    places.push_back(static_cast<int64_t>(i - results.count()));
    results[i] = isToken(type);
  }
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto donated = function.getArgAttrOfType<IntegerAttr>(i, donation);
    if (donated && donated.getValue().ult(places.size())) {
      int64_t place = places[donated.getValue().getZExtValue()];
      function.setArgAttr(i, donation, IntegerAttr::get(donated.getType(), place));
    }
  }
  dropTokenOperands(function.front().getTerminator());
  (void)function.eraseArguments(arguments);
  (void)function.eraseResults(results);
}

// Replaces all tokens by one, before tokens are removed.
static void replaceTokens(func::FuncOp function, Value token) {
  auto replace = [&](ValueRange values) {
    for (Value value : values) {
      if (isToken(value.getType()) && value != token) {
        value.replaceAllUsesWith(token);
      }
    }
  };
  function.walk([&](Operation *op) {
    replace(op->getResults());
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        replace(block.getArguments());
      }
    }
  });
}

struct FormHostCallsPass : impl::FormHostCallsPassBase<FormHostCallsPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<std::pair<Operation *, HostCallParts>, 0> calls;
    SmallVector<Operation *> makers, holders;
    function.walk([&](Operation *op) {
      if (std::optional<HostCallParts> parts = hostCallPartsOf(op)) {
        calls.emplace_back(op, std::move(*parts));
      } else if (isa<stablehlo::AfterAllOp, stablehlo::CreateTokenOp>(op)) {
        makers.push_back(op);
      } else if (isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp,
                     stablehlo::OptimizationBarrierOp>(op)) {
        holders.push_back(op);
      }
    });
    bool isOfTokens = hasToken(function.getArgumentTypes()) || hasToken(function.getResultTypes());
    if (calls.empty() && makers.empty() && !isOfTokens) {
      return;
    }
    OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
    Value token = stablehlo::CreateTokenOp::create(
        builder, function.getLoc(), stablehlo::TokenType::get(function.getContext()));
    for (auto &[op, parts] : calls) {
      formCall(op, parts, token);
    }
    replaceTokens(function, token);
    llvm::for_each(holders, dropTokens);
    if (isOfTokens) {
      dropTokensOfSignature(function);
    }
    for (Operation *maker : makers) {
      maker->erase();
    }
    // Remaining uses are in operations that stay in the program.
    if (token.use_empty()) {
      token.getDefiningOp()->erase();
    }
  }
};

} // namespace drumlin

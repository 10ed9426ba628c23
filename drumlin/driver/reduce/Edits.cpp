#include "drumlin/driver/reduce/Edits.h"

#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/CompositeOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/TensorAttribute.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/support/FloatFormats.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace drumlin::reduce {

bool isControl(Operation *op) {
  return isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op);
}

SmallVector<Operation *> operationsOf(ModuleOp module) {
  SmallVector<Operation *> operations;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ModuleOp, func::FuncOp>(op)) {
      return WalkResult::advance();
    }
    if (!op->hasTrait<OpTrait::IsTerminator>()) {
      operations.push_back(op);
    }
    return isControl(op) ? WalkResult::advance() : WalkResult::skip();
  });
  return operations;
}

void updateType(func::FuncOp function) {
  Block &block = function.getBody().front();
  function.setType(FunctionType::get(function.getContext(), block.getArgumentTypes(),
                                     block.getTerminator()->getOperandTypes()));
}

Value addArgument(func::FuncOp entry, Type type) {
  unsigned number = entry.getNumArguments();
  if (failed(entry.insertArgument(number, type, DictionaryAttr::get(entry.getContext()),
                                  entry.getLoc()))) {
    return {};
  }
  return entry.getArgument(number);
}

// Updates the result numbers in the attributes of arguments that are updated in place, since
// erasing results changes these numbers.
static void renumberAliases(func::FuncOp function, const llvm::BitVector &erased) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto alias = function.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output");
    if (!alias || alias.getInt() < 0 || alias.getInt() >= erased.size()) {
      continue;
    }
    auto result = static_cast<unsigned>(alias.getInt());
    if (erased.test(result)) {
      function.removeArgAttr(i, "tf.aliasing_output");
      continue;
    }
    int64_t before =
        llvm::count_if(erased.set_bits(), [&](unsigned each) { return each < result; });
    function.setArgAttr(i, "tf.aliasing_output",
                        IntegerAttr::get(alias.getType(), alias.getInt() - before));
  }
}

void eraseResults(func::FuncOp function, size_t begin, size_t end) {
  llvm::BitVector erased(function.getNumResults());
  erased.set(static_cast<unsigned>(begin), static_cast<unsigned>(end));
  renumberAliases(function, erased);
  function.getBody().front().getTerminator()->eraseOperands(erased);
  (void)function.eraseResults(erased);
}

Value makeConstant(OpBuilder &builder, Type type, double number) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<ElementType> element = tensor ? tryElementTypeOf(tensor) : std::nullopt;
  if (!element || !tensor.hasStaticShape() || tensor.getEncoding()) {
    return {};
  }
  Tensor scalar(*element, Shape());
  if (number != 0) {
    if (isFloat(*element)) {
      encodeRun(*element, &number, scalar.data(), 1);
    } else if (isComplex(*element)) {
      return {};
    } else {
      *scalar.data() = static_cast<std::byte>(static_cast<int64_t>(number));
    }
  }
  DenseElementsAttr elements =
      attributeFromTensor(scalar, builder.getContext()).resizeSplat(tensor);
  return stablehlo::ConstantOp::create(builder, builder.getUnknownLoc(), elements);
}

void inlineBlock(Block &block, Operation *op, ValueRange values) {
  for (auto [argument, value] : llvm::zip(block.getArguments(), values)) {
    argument.replaceAllUsesWith(value);
  }
  Operation *terminator = block.getTerminator();
  op->replaceAllUsesWith(terminator->getOperands());
  terminator->erase();
  op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations());
}

Operation *rebuildWithout(Operation *op, const llvm::BitVector &operands,
                          const llvm::BitVector &results) {
  OperationState state(op->getLoc(), op->getName());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!operands.test(operand.getOperandNumber())) {
      state.operands.push_back(operand.get());
    }
  }
  for (OpResult result : op->getResults()) {
    if (!results.test(result.getResultNumber())) {
      state.types.push_back(result.getType());
    }
  }
  state.attributes = op->getAttrs();
  for (Region &region : op->getRegions()) {
    state.addRegion()->takeBody(region);
  }
  OpBuilder builder(op);
  Operation *made = builder.create(state);
  unsigned next = 0;
  for (OpResult result : op->getResults()) {
    if (!results.test(result.getResultNumber())) {
      result.replaceAllUsesWith(made->getResult(next++));
    }
  }
  op->erase();
  return made;
}

void eraseDead(ModuleOp module) {
  // StableHLO functions have no side effects, so a call without uses is dead. Reverse order visits
  // users before their operands, and a region's operations before its parent.
  SmallVector<Operation *> operations = operationsOf(module);
  for (Operation *op : llvm::reverse(operations)) {
    bool isCall = isa<func::CallOp, stablehlo::CompositeOp>(op);
    if (isOpTriviallyDead(op) || (isCall && op->use_empty())) {
      op->erase();
    }
  }
  func::FuncOp entry = entryFunction(module);
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (function != entry && SymbolTable::symbolKnownUseEmpty(function, module)) {
        function.erase();
        hasChanged = true;
      }
    }
  }
}

} // namespace drumlin::reduce

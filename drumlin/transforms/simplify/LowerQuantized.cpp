// Replaces quantized elements by their stored integers.
//
// Data movement moves the integers. Arithmetic works on the expressed numbers: formulas convert its
// operands from integers and its results to integers (quantized/QuantizedValues.h). Dots and
// convolutions use integers if that gives the same bits (quantized/QuantizedProducts.h). Operations
// that select among elements of one type select integers. Callers pass and get the stored integers,
// as with the interpreter; `plan.quantized` keeps the type that an argument or result has in the
// program.
#include "drumlin/interpreter/ConstantConversion.h"
#include "drumlin/interpreter/QuantizedExecution.h"
#include "drumlin/interpreter/kernels/EvaluateElementwise.h"
#include "drumlin/ir/stablehlo/ClampOp.h"
#include "drumlin/ir/stablehlo/CollectivePermuteOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/DotOp.h"
#include "drumlin/ir/stablehlo/DynamicConvOp.h"
#include "drumlin/ir/stablehlo/EinsumOp.h"
#include "drumlin/ir/stablehlo/MaxOp.h"
#include "drumlin/ir/stablehlo/MinOp.h"
#include "drumlin/ir/stablehlo/SelectOp.h"
#include "drumlin/ir/stablehlo/TensorAttribute.h"
#include "drumlin/ir/stablehlo/UniformDequantizeOp.h"
#include "drumlin/ir/stablehlo/UniformQuantizeOp.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/simplify/Passes.h"
#include "drumlin/transforms/simplify/quantized/QuantizedProducts.h"
#include "drumlin/transforms/simplify/quantized/QuantizedValues.h"

#include "drumlin/support/FloatFormats.h"
#include "mlir/IR/AttrTypeSubElements.h"

#include <cmath>

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_LOWERQUANTIZEDPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

using stablehlo::isQuantized;

// Attribute of the entry's arguments and results: their type in the program.
static constexpr llvm::StringLiteral quantizedAttribute = "plan.quantized";

namespace {
class QuantizedLowering {
public:
  QuantizedLowering(func::FuncOp function, Ledger &ledger) : function(function), ledger(ledger) {
    storage.addReplacement([](quant::QuantizedType type) -> std::optional<Type> {
      std::optional<ElementType> stored = tryStoredTypeOf(type);
      return stored ? std::optional(toMlirType(*stored, type.getContext())) : std::nullopt;
    });
  }

  // Fails if a constant can't be read.
  LogicalResult run() {
    SmallVector<Operation *> computing = operationsOnExpressedNumbers();
    keepSignature();
    storeIntegers();
    for (Operation *op : computing) {
      compute(op);
    }
    return failure(failed);
  }

private:
  //===-- types --===//

  // Returns the operations whose results on stored integers differ from those on expressed numbers.
  SmallVector<Operation *> operationsOnExpressedNumbers() {
    SmallVector<Operation *> found;
    function.walk([&](Operation *op) {
      bool computes =
          isa<stablehlo::UniformQuantizeOp, stablehlo::UniformDequantizeOp>(op) ||
          (isa<stablehlo::CollectivePermuteOp>(op) && isQuantized(op->getResult(0).getType())) ||
          computesOnExpressedNumbers(op);
      if (computes) {
        found.push_back(op);
      }
    });
    return found;
  }

  void keepSignature() {
    auto keep = [&](TypeRange types, auto set) {
      for (auto [i, type] : llvm::enumerate(types)) {
        if (isQuantized(type)) {
          set(static_cast<unsigned>(i), TypeAttr::get(type));
        }
      }
    };
    keep(function.getArgumentTypes(),
         [&](unsigned i, TypeAttr type) { function.setArgAttr(i, quantizedAttribute, type); });
    keep(function.getResultTypes(),
         [&](unsigned i, TypeAttr type) { function.setResultAttr(i, quantizedAttribute, type); });
  }

  // Changes the types of all quantized values to their stored integers.
  void storeIntegers() {
    auto store = [&](Value value) {
      Type stored = storage.replace(value.getType());
      if (stored != value.getType()) {
        if (isQuantized(value.getType())) {
          quantized[value] = cast<RankedTensorType>(value.getType());
        }
        value.setType(stored);
      }
    };
    function.walk([&](Operation *op) {
      for (Region &region : op->getRegions()) {
        for (Block &block : region) {
          llvm::for_each(block.getArguments(), store);
        }
      }
      llvm::for_each(op->getResults(), store);
      if (auto constant = dyn_cast<stablehlo::ConstantOp>(op); constant && isStored(op)) {
        storeConstant(constant);
      }
    });
    function.setFunctionType(cast<FunctionType>(storage.replace(function.getFunctionType())));
  }

  bool isStored(Operation *op) const { return quantized.contains(op->getResult(0)); }

  // The constant may be given as signed integers, or as quantized elements.
  void storeConstant(stablehlo::ConstantOp op) {
    ElementsAttr value = op.getValue();
    if (value.getElementType() == op.getType().getElementType()) {
      return;
    }
    Result<Tensor> integers = tensorFromAttribute(value);
    if (integers) {
      integers = interpreter::bitcastConvert(*integers, elementTypeOf(op.getType()),
                                             integers->shape(), {});
    }
    if (!integers) {
      failed = true;
      op.emitError() << integers.error().message;
      return;
    }
    op.setValueAttr(attributeFromTensor(*integers, op.getContext()));
  }

  //===-- operations --===//

  // Returns the original type of a value that was quantized.
  std::optional<RankedTensorType> typeBefore(Value value) const {
    auto found = quantized.find(value);
    return found == quantized.end() ? std::nullopt : std::optional(found->second);
  }

  void compute(Operation *op) {
    if (isa<stablehlo::UniformQuantizeOp, stablehlo::UniformDequantizeOp>(op)) {
      convert(op);
    } else if (isa<stablehlo::CollectivePermuteOp>(op)) {
      shiftZero(op);
    } else if (!computeOnIntegers(op)) {
      computeOnNumbers(op);
    }
  }

  Value numberOf(TensorBuilder &b, Value value) const {
    std::optional<RankedTensorType> type = typeBefore(value);
    return type ? dequantize(b, value, *type) : value;
  }

  void convert(Operation *op) {
    TensorBuilder b(op);
    Value result = op->getResult(0);
    Value made = numberOf(b, op->getOperand(0));
    if (std::optional<RankedTensorType> type = typeBefore(result)) {
      made = quantize(b, made, *type);
    }
    replace(op, made);
  }

  // Adjusts a collective whose processes get zeros if they receive nothing: the stored integer that
  // expresses zero may not be 0. It is subtracted before the operation and added afterwards.
  void shiftZero(Operation *op) {
    RankedTensorType type = *typeBefore(op->getResult(0));
    int64_t zero = storedZero(type);
    if (zero == 0) {
      return;
    }
    TensorBuilder b(op);
    Value operand = op->getOperand(0);
    op->setOperand(0, b.subtract(operand, b.like(operand, static_cast<uint64_t>(zero))));
    OpBuilder after(op->getContext());
    after.setInsertionPointAfter(op);
    TensorBuilder back(after, op->getLoc());
    Value result = op->getResult(0);
    Value point = back.like(result, static_cast<uint64_t>(zero));
    Value sum = back.add(result, point);
    result.replaceAllUsesExcept(sum, sum.getDefiningOp());
  }

  // Makes the operation compute on expressed numbers, and quantizes its results.
  void computeOnNumbers(Operation *op) {
    TensorBuilder b(op);
    for (OpOperand &operand : op->getOpOperands()) {
      operand.set(numberOf(b, operand.get()));
    }
    OpBuilder after(op->getContext());
    after.setInsertionPointAfter(op);
    TensorBuilder back(after, op->getLoc());
    bool isProduct = isa<stablehlo::ConvolutionOp, stablehlo::DotGeneralOp, stablehlo::DotOp,
                         stablehlo::DynamicConvOp, stablehlo::EinsumOp>(op);
    for (Value result : op->getResults()) {
      std::optional<RankedTensorType> type = typeBefore(result);
      if (!type) {
        continue;
      }
      // The result has the expressed type until it is quantized again.
      result.setType(type->clone(stablehlo::expressedTypeOf(*type)));
      quantized.erase(result);
      // If the type has no zero, a convolution's padding is NaN.
      bool hasZero = !std::isnan(roundTo(parametersOf(*type).expressed, 0));
      if (isProduct && hasZero && !op->hasAttr("algorithm")) {
        widenSums(b, op);
      }
      SmallVector<OpOperand *> uses =
          llvm::map_to_vector(result.getUses(), [](OpOperand &use) { return &use; });
      Value stored = quantize(back, result, *type);
      quantized[stored] = *type;
      for (OpOperand *use : uses) {
        use->set(stored);
      }
    }
  }

  //===-- on integers alone --===//

  bool computeOnIntegers(Operation *op) {
    return isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op) ? multiplyIntegers(op)
                                                                      : selectIntegers(op);
  }

  bool multiplyIntegers(Operation *op) {
    std::optional<RankedTensorType> lhs = typeBefore(op->getOperand(0)),
                                    rhs = typeBefore(op->getOperand(1)),
                                    type = typeBefore(op->getResult(0));
    if (!lhs || !rhs || !type) {
      return false;
    }
    Decision decision =
        ledger.recordUnlessOff(Rule::IntegerProduct, op, decideIntegerProduct(op, *lhs, *rhs));
    if (!decision.isTaken()) {
      return false;
    }
    TensorBuilder b(op);
    replace(op, quantize(b, integerProduct(b, op, *lhs, *rhs), *type));
    return true;
  }

  // Handles maximum, minimum, clamp, select and compare if all elements have one type whose numbers
  // are ordered like its integers.
  bool selectIntegers(Operation *op) {
    if (!isa<stablehlo::MaxOp, stablehlo::MinOp, stablehlo::ClampOp, stablehlo::SelectOp,
             stablehlo::CompareOp>(op)) {
      return false;
    }
    std::optional<Type> element;
    for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()),
                                           llvm::to_vector(op->getResults()))) {
      if (std::optional<RankedTensorType> type = typeBefore(value)) {
        if (element && *element != type->getElementType()) {
          return false;
        }
        element = type->getElementType();
      }
    }
    if (!isOrdered(*element)) {
      return false;
    }
    if (auto compare = dyn_cast<stablehlo::CompareOp>(op)) {
      compare.removeCompareTypeAttr();
    }
    return true;
  }

  bool isOrdered(Type element) {
    auto [known, isNew] = ordered.try_emplace(element, false);
    if (isNew) {
      known->second = isOrderedAsStored(RankedTensorType::get({}, element));
    }
    return known->second;
  }

  void replace(Operation *op, Value made) {
    Value result = op->getResult(0);
    if (std::optional<RankedTensorType> type = typeBefore(result)) {
      quantized.erase(result);
      quantized[made] = *type;
    }
    result.replaceAllUsesWith(made);
    op->erase();
  }

  func::FuncOp function;
  Ledger &ledger;
  AttrTypeReplacer storage;
  DenseMap<Value, RankedTensorType> quantized; // original types of values that are now integers
  DenseMap<Type, bool> ordered;
  bool failed = false;
};
} // namespace

struct LowerQuantizedPass : impl::LowerQuantizedPassBase<LowerQuantizedPass> {
  LowerQuantizedPass() = default;
  explicit LowerQuantizedPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    if (failed(QuantizedLowering(getOperation(), ledger ? *ledger : own).run())) {
      signalPassFailure();
    }
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createLowerQuantizedPass(Ledger &ledger) {
  return std::make_unique<LowerQuantizedPass>(ledger);
}

} // namespace drumlin

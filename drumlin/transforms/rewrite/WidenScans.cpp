// Accumulates running sums and products of f32, and sums of long windows, in f64. Each result is
// then rounded once to its own type. With f32 accumulators, the error would grow with the number of
// elements.
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/rewrite/Passes.h"

#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_WIDENSCANSPASS
#include "drumlin/transforms/rewrite/Passes.h.inc"

// With fewer elements, the error with f32 accumulators is that of other sums: at most 2^-24 of the
// sum per element, and at most half of that if roundings differ in sign.
static constexpr int64_t fewestElements = 16;
// Maximum size of a window whose elements are added up one by one in their own type; sums over
// larger windows are widened.
static constexpr int64_t longestWindow = 256;

// These operations are slow in f64, and an additional rounding hardly changes their results.
static bool staysNarrow(Operation &op) {
  return isa<stablehlo::ExpOp, stablehlo::Expm1Op, stablehlo::LogOp, stablehlo::Log1pOp,
             stablehlo::LogisticOp, stablehlo::TanhOp>(op);
}

static bool isWidened(Operation &op) {
  return isa<stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::MulOp, stablehlo::DivOp,
             stablehlo::MaxOp, stablehlo::MinOp, stablehlo::NegOp, stablehlo::AbsOp,
             stablehlo::CompareOp, stablehlo::SelectOp, stablehlo::AndOp, stablehlo::OrOp,
             stablehlo::NotOp, stablehlo::ConstantOp, stablehlo::ReturnOp>(op);
}

static Type widened(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getElementType().isF32()
             ? tensor.clone(Float64Type::get(type.getContext()))
             : type;
}

// log(exp(a) + exp(b)) is written as log(1 + exp(−|a − b|)) plus the larger operand.
static bool hasLogarithmOfSum(Region &body) {
  return llvm::any_of(body.front(), [](Operation &op) {
    return isa<stablehlo::Log1pOp>(op) && op.getOperand(0).getDefiningOp<stablehlo::ExpOp>();
  });
}

// Returns whether a body adds numbers given by their logarithms, has only f32 and Boolean values,
// and has only operations that are available in f64. Other bodies keep every rounding that the
// program writes.
static bool addsLogarithms(Region &body) {
  auto fits = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isF32() || element.isInteger(1);
  };
  return hasLogarithmOfSum(body) && llvm::all_of(body.front(), [&](Operation &op) {
           return (isWidened(op) || staysNarrow(op)) && llvm::all_of(op.getOperandTypes(), fits) &&
                  llvm::all_of(op.getResultTypes(), fits);
         });
}

static bool isLong(stablehlo::ReduceWindowOp window, const PrefixScan &scan) {
  auto type = cast<RankedTensorType>(window.getResult(0).getType());
  return hasSymbolicSizes(type) ||
         type.getDimSize(static_cast<unsigned>(scan.dimension)) >= fewestElements;
}

// Returns whether roundings accumulate: the window is a scan whose running value collects the
// roundings of all elements, or it adds up many elements.
static bool collectsRoundings(stablehlo::ReduceWindowOp window) {
  std::optional<PrefixScan> scan = prefixScan(window);
  auto initial = window.getInitValues().front().getDefiningOp<stablehlo::ConstantOp>();
  if (window.getInputs().size() != 1 || !initial ||
      !getElementTypeOrSelf(window.getResult(0)).isF32()) {
    return false;
  }
  if (!scan) {
    std::optional<int64_t> elements = elementCount(window.getWindowDimensions());
    return knownReducer(window.getBody()) == Reducer::Add &&
           (!elements || *elements > longestWindow);
  }
  bool adds = scan->reducer ? scan->reducer == Reducer::Add || scan->reducer == Reducer::Multiply
                            : addsLogarithms(window.getBody());
  return adds && isLong(window, *scan);
}

static DenseElementsAttr widened(DenseElementsAttr elements) {
  return cast<DenseElementsAttr>(
      elements.mapValues(Float64Type::get(elements.getContext()), [](const APFloat &number) {
        APFloat wide = number;
        bool losesInfo = false;
        wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
        return wide.bitcastToAPInt();
      }));
}

// Rebuilds an f32 body in f64, except for operations that stay narrow.
static void widenBody(Region &from, Region &into) {
  Block &made = into.emplaceBlock();
  IRMapping wide, narrow; // narrow: results of operations that stay f32
  for (BlockArgument argument : from.getArguments()) {
    wide.map(argument, made.addArgument(widened(argument.getType()), argument.getLoc()));
  }
  OpBuilder builder(from.getContext());
  builder.setInsertionPointToEnd(&made);
  auto converted = [&](Operation &op, Type type, Value value) {
    return stablehlo::ConvertOp::create(builder, op.getLoc(), type, value).getResult();
  };
  for (Operation &op : from.front()) {
    if (staysNarrow(op)) {
      Value operand = op.getOperand(0), result = op.getResult(0);
      if (!narrow.contains(operand)) {
        narrow.map(operand, converted(op, operand.getType(), wide.lookup(operand)));
      }
      builder.clone(op, narrow);
      wide.map(result, converted(op, widened(result.getType()), narrow.lookup(result)));
      continue;
    }
    Operation *clone = builder.clone(op, wide);
    for (Value result : clone->getResults()) {
      result.setType(widened(result.getType()));
    }
    if (auto constant = dyn_cast<stablehlo::ConstantOp>(clone)) {
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      if (elements.getElementType().isF32()) {
        constant.setValueAttr(widened(elements));
      }
    }
  }
}

static void widen(stablehlo::ReduceWindowOp window) {
  OpBuilder builder(window);
  Location loc = window.getLoc();
  Value operand = window.getInputs().front();
  auto initial = window.getInitValues().front().getDefiningOp<stablehlo::ConstantOp>();
  OperationState state(loc, window->getName());
  state.addOperands(
      {stablehlo::ConvertOp::create(builder, loc, widened(operand.getType()), operand),
       stablehlo::ConstantOp::create(builder, loc,
                                     widened(cast<DenseElementsAttr>(initial.getValue())))});
  Type type = window.getResult(0).getType();
  state.addTypes(widened(type));
  state.addAttributes(window->getAttrs());
  widenBody(window.getBody(), *state.addRegion());
  Operation *made = builder.create(state);
  Value rounded = stablehlo::ConvertOp::create(builder, loc, type, made->getResult(0));
  window.getResult(0).replaceAllUsesWith(rounded);
  window.erase();
}

namespace {
struct WidenScansPass : impl::WidenScansPassBase<WidenScansPass> {
  WidenScansPass() = default;
  explicit WidenScansPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    Ledger &into = ledger ? *ledger : own;
    SmallVector<stablehlo::ReduceWindowOp> scans;
    getOperation().walk([&](stablehlo::ReduceWindowOp window) {
      if (collectsRoundings(window)) {
        scans.push_back(window);
      }
    });
    for (stablehlo::ReduceWindowOp scan : scans) {
      if (into.recordUnlessOff(Rule::WidenScan, scan, Decision::taken()).isTaken()) {
        widen(scan);
      }
    }
  }

  Ledger *ledger = nullptr;
};
} // namespace

std::unique_ptr<Pass> createWidenScansPass(Ledger &ledger) {
  return std::make_unique<WidenScansPass>(ledger);
}

} // namespace drumlin

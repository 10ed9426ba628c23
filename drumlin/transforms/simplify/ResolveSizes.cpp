// Rewrites dynamic sizes as expressions over the sizes of the arguments.
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/HostCalls.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/SizeOp.h"
#include "drumlin/ir/sizes/InstantiateSizes.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/CustomCallOp.h"
#include "drumlin/ir/stablehlo/DynamicBroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/DynamicConvOp.h"
#include "drumlin/ir/stablehlo/DynamicGatherOp.h"
#include "drumlin/ir/stablehlo/DynamicIotaOp.h"
#include "drumlin/ir/stablehlo/DynamicPadOp.h"
#include "drumlin/ir/stablehlo/DynamicReduceWindow.h"
#include "drumlin/ir/stablehlo/DynamicReshapeOp.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/GetDimensionSizeOp.h"
#include "drumlin/ir/stablehlo/IotaOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/RealDynamicSliceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/ir/stablehlo/SetDimensionSizeOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "drumlin/transforms/PassFailure.h"
#include "drumlin/transforms/simplify/Passes.h"
#include "drumlin/transforms/simplify/bounds/PadBounds.h"
#include "drumlin/transforms/simplify/sizes/SizeAnalysis.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_RESOLVESIZESPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

// Returns whether operands of the operation are sizes of its results.
static bool takesShapes(Operation *op) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  return call && !shapeOperandsOf(call).empty();
}

//===- nominal sizes ----------------------------------------------------------------===//

// Nominal sizes are distinct and odd. So the schedules chosen for these sizes don't assume that
// vectors, blocks or tiles are full.
static constexpr int64_t firstNominal = 97;
static constexpr int64_t nominalStep = 4;

// If a size may exceed one, it must exceed one at the nominal values, since otherwise its dimension
// would be assumed to have at most one element at every call. It must also differ at the other
// sizes for which code is emitted for comparison. To achieve both, symbols are scaled up, and
// divisors become smaller.
static constexpr int64_t nominalScales[] = {1, 3, 11, 43, 171, 683, 2731};
static constexpr int64_t nominalDivisor = 5;

namespace {
class NominalChoice {
public:
  // `sizes` are the sizes of the program's types. `given` has the values that the user gives
  // symbols.
  NominalChoice(std::vector<SizeSymbol> &symbols, ArrayRef<SizeConstraint> constraints,
                ArrayRef<SizeExpression> sizes, const std::map<std::string, int64_t> &given)
      : symbols(symbols), constraints(constraints), given(given) {
    for (const SizeExpression &size : sizes) {
      if (!size.constant() && !llvm::is_contained(dependent, size)) {
        dependent.push_back(size);
        collectDivisors(size);
      }
    }
  }

  // Sets the best nominal values. Returns false if no values satisfy the constraints.
  bool choose() {
    std::optional<std::vector<SizeSymbol>> best;
    size_t fewest = std::numeric_limits<size_t>::max();
    auto tryAll = [&](std::initializer_list<Order> orders) {
      for (int64_t scale : nominalScales) {
        for (bool areDivisorsSmall : {false, true}) {
          for (Order order : orders) {
            std::vector<SizeSymbol> tried = nominalOf(scale, areDivisorsSmall, order);
            bool isWell = isAllowed(tried, constraints, nominalValues(tried));
            size_t small = isWell && fewest > 0 ? countSmall(tried) : fewest;
            if (small < fewest) {
              best = std::move(tried);
              fewest = small;
            }
          }
        }
      }
    };
    tryAll({Order::Rising, Order::Falling});
    // Operands that are broadcast to each other may require equal sizes.
    if (!best) {
      tryAll({Order::Equal});
    }
    if (best) {
      symbols = std::move(*best);
    }
    return best.has_value();
  }

private:
  enum class Order { Rising, Falling, Equal };

  void collectDivisors(const SizeExpression &size) {
    for (const SizeExpression::Term &term : size.terms()) {
      for (const SizeExpression::Factor &factor : term.factors) {
        for (const SizeExpression &operand : factor.operands) {
          collectDivisors(operand);
        }
        if (factor.kind == SizeExpression::FactorKind::Quotient) {
          llvm::append_range(divisors, factor.operands[1].symbols());
        }
      }
    }
  }

  std::vector<SizeSymbol> nominalOf(int64_t scale, bool areDivisorsSmall, Order order) const {
    std::vector<SizeSymbol> made = symbols;
    int64_t least = 0; // minimum of the symbols that shall be equal
    for (const SizeSymbol &symbol : symbols) {
      least = std::max(least, symbol.minimum);
    }
    for (auto [i, symbol] : llvm::enumerate(made)) {
      auto number = static_cast<int64_t>(order == Order::Rising    ? i
                                         : order == Order::Falling ? symbols.size() - 1 - i
                                                                   : 0);
      int64_t minimum = order == Order::Equal ? least : symbol.minimum;
      int64_t nominal = (firstNominal + nominalStep * number) * scale;
      if (areDivisorsSmall && llvm::is_contained(divisors, symbol.name)) {
        nominal = nominalDivisor;
      } else if (minimum > nominal || (scale > 1 && minimum > 1)) {
        nominal += (minimum + 1) / 2 * 2; // an even number, so the size stays odd
      }
      auto wanted = given.find(symbol.name);
      nominal = wanted == given.end() ? nominal : wanted->second | 1;
      symbol.nominal = std::clamp(nominal, symbol.minimum, symbol.maximum);
    }
    return made;
  }

  // Returns the number of sizes that are too small or undefined.
  size_t countSmall(ArrayRef<SizeSymbol> tried) const {
    SizeExpression::Values nominal = nominalValues(tried);
    SizeExpression::Values larger = otherValues(tried, constraints, OtherSizes::Larger, dependent);
    SizeExpression::Values smaller = otherValues(tried, constraints, OtherSizes::Smaller);
    return static_cast<size_t>(llvm::count_if(dependent, [&](const SizeExpression &size) {
      int64_t value = size.evaluate(nominal).value_or(0);
      int64_t more = size.evaluate(larger).value_or(0);
      bool isMisjudged =
          value > 1 ? more < 2 || more == value : isMoreElsewhere(size, tried, constraints);
      return isMisjudged || size.evaluate(smaller).value_or(-1) < 0;
    }));
  }

  std::vector<SizeSymbol> &symbols;
  ArrayRef<SizeConstraint> constraints;
  const std::map<std::string, int64_t> &given;
  std::vector<SizeExpression> dependent;
  std::vector<std::string> divisors;
};
} // namespace

static Status chooseNominal(std::vector<SizeSymbol> &symbols, ArrayRef<SizeConstraint> constraints,
                            ArrayRef<SizeExpression> sizes,
                            const std::map<std::string, int64_t> &given, Location loc) {
  if (NominalChoice(symbols, constraints, sizes, given).choose()) {
    return Done{};
  }
  std::string text;
  for (const SizeConstraint &each : constraints) {
    text += (text.empty() ? "`" : ", `") + each.str() + "`";
  }
  return diagnose(errors::UnsupportedDynamicShape, "no sizes were found that satisfy " + text,
                  plan::sourceOf(loc));
}

// Returns the symbols and their bounds as text, e.g. "`b` from 1 to 1024, `s` from 0".
static std::string textOf(ArrayRef<SizeSymbol> symbols) {
  std::string text;
  for (const SizeSymbol &symbol : symbols) {
    text += (text.empty() ? "`" : ", `") + symbol.name + "` from " + std::to_string(symbol.minimum);
    if (symbol.maximum != maxSymbolValue) {
      text += " to " + std::to_string(symbol.maximum);
    }
  }
  return text.empty() ? "all known" : text;
}

//===- operations whose sizes are values --------------------------------------------===//

namespace {
class SizeRewriter {
public:
  SizeRewriter(func::FuncOp main, SizeAnalysis &analysis, const std::vector<SizeSymbol> &symbols)
      : main(main), analysis(analysis), nominal(nominalValues(symbols)) {}

  Status run() {
    collectNumbers();
    SmallVector<Operation *> dynamic;
    Status status = setTypes();
    main.walk([&](Operation *op) { dynamic.push_back(op); });
    for (Operation *op : dynamic) {
      if (status) {
        status = rewrite(op);
      }
    }
    eraseUnused();
    main.walk([&](stablehlo::GetDimensionSizeOp size) { replaceBySize(size); });
    Block &body = main.getBody().front();
    main.setType(FunctionType::get(main.getContext(), body.getArgumentTypes(),
                                   body.getTerminator()->getOperandTypes()));
    return status;
  }

private:
  // Collects the analysis results that operations need, before values are replaced.
  void collectNumbers() {
    main.walk([&](Operation *op) {
      for (Value operand : op->getOperands()) {
        if (const Sizes *found = analysis.numbersOf(operand)) {
          numbers[operand] = *found;
          for (SizeExpression &size : numbers[operand]) {
            size = analysis.facts().simplified(size);
          }
        }
      }
    });
  }

  Status setType(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.hasStaticShape()) {
      return Done{};
    }
    const Sizes *found = analysis.sizesOf(value);
    if (!found) {
      return diagnose(errors::UnsupportedDynamicShape,
                      "sizes that are known only when the program runs aren't supported here",
                      plan::sourceOf(value.getLoc()));
    }
    Sizes sizes = *found;
    for (SizeExpression &size : sizes) {
      size = analysis.facts().simplified(size);
    }
    std::optional<RankedTensorType> made = typeOfSizes(type, sizes, nominal);
    if (!made) {
      return diagnose(errors::UnsupportedDynamicShape,
                      "a value's sizes (" + str(sizes) + ") aren't valid at the nominal sizes",
                      plan::sourceOf(value.getLoc()), "choose other nominal sizes with `--size`");
    }
    value.setType(*made);
    return Done{};
  }

  Status setTypes() {
    Status status = Done{};
    auto set = [&](Value value) { status = status ? setType(value) : status; };
    llvm::for_each(main.getArguments(), set);
    main.walk([&](Operation *op) {
      llvm::for_each(op->getResults(), set);
      for (Region &region : op->getRegions()) {
        if (&region != &main.getBody()) {
          llvm::for_each(region.getArguments(), set);
        }
      }
    });
    return status;
  }

  SmallVector<int64_t> at(const Sizes &sizes) const {
    return llvm::map_to_vector(
        sizes, [&](const SizeExpression &size) { return size.evaluate(nominal).value_or(0); });
  }

  static void replace(Operation *op, Operation *made) {
    op->replaceAllUsesWith(made);
    op->erase();
  }

  void replaceBySlice(Operation *op, const Sizes &start, const Sizes &limit, const Sizes &strides) {
    OpBuilder builder(op);
    auto slice = stablehlo::SliceOp::create(
        builder, op->getLoc(), op->getResult(0).getType(), op->getOperand(0),
        builder.getDenseI64ArrayAttr(at(start)), builder.getDenseI64ArrayAttr(at(limit)),
        builder.getDenseI64ArrayAttr(at(strides)));
    setSymbolicSizes(slice, "start_indices", start);
    setSymbolicSizes(slice, "limit_indices", limit);
    setSymbolicSizes(slice, "strides", strides);
    replace(op, slice);
  }

  // Replaces the remaining uses of a size in computations, after the shape arithmetic is gone.
  void replaceBySize(stablehlo::GetDimensionSizeOp op) {
    if (!hasSymbolicSizes(op.getOperand().getType())) {
      return;
    }
    SizeExpression size = symbolicSizesOf(
        cast<RankedTensorType>(op.getOperand().getType()))[static_cast<size_t>(op.getDimension())];
    OpBuilder builder(op);
    auto made = plan::SizeOp::create(builder, op->getLoc(), op.getType(),
                                     builder.getDenseI64ArrayAttr(at({size})));
    setSymbolicSizes(made, made.getValueAttrName(), {size});
    replace(op, made);
  }

  void rewritePad(stablehlo::DynamicPadOp pad) {
    OpBuilder builder(pad);
    const Sizes &low = numbers[pad.getEdgePaddingLow()], &high = numbers[pad.getEdgePaddingHigh()];
    const Sizes &interior = numbers[pad.getInteriorPadding()];
    auto made = stablehlo::PadOp::create(
        builder, pad.getLoc(), pad.getType(), pad.getOperand(), pad.getPaddingValue(),
        builder.getDenseI64ArrayAttr(at(low)), builder.getDenseI64ArrayAttr(at(high)),
        builder.getDenseI64ArrayAttr(at(interior)));
    setSymbolicSizes(made, "edge_padding_low", low);
    setSymbolicSizes(made, "edge_padding_high", high);
    setSymbolicSizes(made, "interior_padding", interior);
    replace(pad, made);
  }

  void rewriteMovedSlice(stablehlo::RealDynamicSliceOp slice) {
    OpBuilder builder(slice);
    Location loc = slice.getLoc();
    auto vector = cast<RankedTensorType>(slice.getStartIndices().getType());
    SmallVector<Value> starts;
    for (int64_t d = 0; d < vector.getNumElements(); ++d) {
      Value one = stablehlo::SliceOp::create(
          builder, loc, vector.clone(ArrayRef<int64_t>{1}), slice.getStartIndices(),
          builder.getDenseI64ArrayAttr({d}), builder.getDenseI64ArrayAttr({d + 1}),
          builder.getDenseI64ArrayAttr({1}));
      starts.push_back(
          stablehlo::ReshapeOp::create(builder, loc, vector.clone(ArrayRef<int64_t>()), one));
    }
    Sizes sizes = symbolicSizesOf(slice.getType());
    auto made = stablehlo::DynamicSliceOp::create(builder, loc, slice.getType(), slice.getOperand(),
                                                  starts, builder.getDenseI64ArrayAttr(at(sizes)));
    setSymbolicSizes(made, made.getSliceSizesAttrName(), sizes);
    replace(slice, made);
  }

  void rewriteGather(stablehlo::DynamicGatherOp gather) {
    OpBuilder builder(gather);
    const Sizes &slice = numbers[gather.getSliceSizes()];
    auto made = stablehlo::GatherOp::create(
        builder, gather.getLoc(), gather.getType(), gather.getOperand(), gather.getStartIndices(),
        gather.getDimensionNumbers(), builder.getDenseI64ArrayAttr(at(slice)),
        builder.getBoolAttr(gather.getIndicesAreSorted()));
    setSymbolicSizes(made, "slice_sizes", slice);
    replace(gather, made);
  }

  Status rewriteWindow(Operation *op, const stablehlo::DynamicReduceWindow &window) {
    OpBuilder builder(op);
    auto reducer =
        op->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(window.reducer.getAttr());
    Sizes &dimensions = numbers[window.dimensions], &padding = numbers[window.padding];
    Sizes &strides = numbers[window.strides], &base = numbers[window.baseDilations];
    Sizes &dilations = numbers[window.windowDilations];
    if (!window.isReducer(reducer)) {
      return diagnose(errors::UnsupportedDynamicShape,
                      "a window whose reducer isn't known isn't supported",
                      plan::sourceOf(op->getLoc()));
    }
    auto table =
        RankedTensorType::get({static_cast<int64_t>(padding.size()) / 2, 2}, builder.getI64Type());
    OperationState state(op->getLoc(), stablehlo::ReduceWindowOp::getOperationName());
    state.addOperands(window.inputs);
    state.addOperands(window.initValues);
    state.addTypes(op->getResultTypes());
    auto list = [&](const Sizes &sizes) { return builder.getDenseI64ArrayAttr(at(sizes)); };
    state.addAttribute("window_dimensions", list(dimensions));
    state.addAttribute("window_strides", list(strides));
    state.addAttribute("base_dilations", list(base));
    state.addAttribute("window_dilations", list(dilations));
    state.addAttribute("padding", DenseIntElementsAttr::get(table, ArrayRef<int64_t>(at(padding))));
    IRMapping mapping;
    reducer.getBody().cloneInto(state.addRegion(), mapping);
    Operation *made = builder.create(state);
    Operation *end = made->getRegion(0).front().getTerminator();
    OpBuilder atEnd(end);
    stablehlo::ReturnOp::create(atEnd, end->getLoc(), end->getOperands());
    end->erase();
    setSymbolicSizes(made, "window_dimensions", dimensions);
    setSymbolicSizes(made, "window_strides", strides);
    setSymbolicSizes(made, "base_dilations", base);
    setSymbolicSizes(made, "window_dilations", dilations);
    setSymbolicSizes(made, "padding", padding);
    replace(op, made);
    return Done{};
  }

  void rewriteConvolution(stablehlo::DynamicConvOp conv) {
    const Sizes &padding = numbers[conv.getPadding()];
    OpBuilder builder(conv);
    auto type =
        RankedTensorType::get({static_cast<int64_t>(padding.size()) / 2, 2}, builder.getI64Type());
    auto made = stablehlo::ConvolutionOp::create(
        builder, conv.getLoc(), conv.getType(), conv.getLhs(), conv.getRhs(),
        conv.getWindowStridesAttr(),
        DenseIntElementsAttr::get(type, ArrayRef<int64_t>(at(padding))), conv.getLhsDilationAttr(),
        conv.getRhsDilationAttr(), conv.getWindowReversalAttr(), conv.getDimensionNumbersAttr(),
        conv.getFeatureGroupCountAttr(), conv.getBatchGroupCountAttr(),
        conv.getPrecisionConfigAttr());
    setSymbolicSizes(made, made.getPaddingAttrName(), padding);
    replace(conv, made);
  }

  Status rewrite(Operation *op) {
    OpBuilder builder(op);
    Status status = Done{};
    TypeSwitch<Operation *>(op)
        .Case<stablehlo::DynamicBroadcastInDimOp>([&](auto broadcast) {
          replace(op, stablehlo::BroadcastInDimOp::create(
                          builder, op->getLoc(), broadcast.getType(), broadcast.getOperand(),
                          builder.getDenseI64ArrayAttr(broadcast.getBroadcastDimensions())));
        })
        .Case<stablehlo::DynamicReshapeOp>([&](auto reshape) {
          replace(op, stablehlo::ReshapeOp::create(builder, op->getLoc(), reshape.getType(),
                                                   reshape.getOperand()));
        })
        .Case<stablehlo::DynamicIotaOp>([&](auto iota) {
          replace(op, stablehlo::IotaOp::create(builder, op->getLoc(), iota.getType(),
                                                iota.getIotaDimension()));
        })
        .Case<stablehlo::RealDynamicSliceOp>([&](stablehlo::RealDynamicSliceOp slice) {
          if (analysis.movedSlice(slice)) {
            rewriteMovedSlice(slice);
            return;
          }
          replaceBySlice(op, numbers[slice.getStartIndices()], numbers[slice.getLimitIndices()],
                         numbers[slice.getStrides()]);
        })
        .Case<stablehlo::SetDimensionSizeOp>([&](auto set) {
          Sizes limit = symbolicSizesOf(set.getType());
          replaceBySlice(op, Sizes(limit.size()), limit, Sizes(limit.size(), 1));
        })
        .Case<stablehlo::DynamicPadOp>([&](auto pad) { rewritePad(pad); })
        .Case<stablehlo::DynamicGatherOp>([&](auto gather) { rewriteGather(gather); })
        .Case<stablehlo::DynamicConvOp>([&](auto conv) { rewriteConvolution(conv); })
        .Case<stablehlo::CustomCallOp>([&](stablehlo::CustomCallOp call) {
          if (auto window = stablehlo::DynamicReduceWindow::of(call)) {
            status = rewriteWindow(call, *window);
          } else if (call.getCallTargetName() == shapeAssertion) {
            call.erase();
          } else if (!shapeOperandsOf(call).empty()) {
            dropShapeOperands(call);
          }
        });
    return status;
  }

  // Erases shape arithmetic that is now unused. Inner operations are erased before the operations
  // that contain them.
  void eraseUnused() {
    // The list is in preorder and is erased in reverse.
    SmallVector<Operation *> all;
    main.walk<WalkOrder::PreOrder>([&](Operation *op) { all.push_back(op); });
    for (Operation *op : llvm::reverse(all)) {
      if (isOpTriviallyDead(op)) {
        op->erase();
      }
    }
  }

  func::FuncOp main;
  SizeAnalysis &analysis;
  SizeExpression::Values nominal;
  llvm::DenseMap<Value, Sizes> numbers;
};
} // namespace

// Renames symbols to the program's names for sizes.
static void takeNames(func::FuncOp main, SizeAnalysis &analysis) {
  main.walk([&](Operation *op) {
    auto name = dyn_cast_or_null<StringAttr>(op->removeAttr(sizeNameAttribute));
    const Sizes *number =
        name && op->getNumResults() == 1 ? analysis.numbersOf(op->getResult(0)) : nullptr;
    if (!number || number->size() != 1) {
      return;
    }
    SizeExpression size = analysis.facts().simplified(number->front());
    std::vector<std::string> symbols = size.symbols();
    if (symbols.size() != 1 || size.terms().size() != 1) {
      return;
    }
    int64_t times = size.terms().front().coefficient;
    if (size == SizeExpression::symbol(symbols.front()) * times) {
      analysis.facts().rename(symbols.front(),
                              name.str() + (times == 1 ? "" : "_by_" + std::to_string(times)));
    }
  });
}

static std::vector<SizeExpression> sizesOfTypes(func::FuncOp main, const SizeAnalysis &analysis) {
  std::vector<SizeExpression> made;
  auto add = [&](Value value) {
    const Sizes *found = hasUnknownSizes(value.getType()) ? analysis.sizesOf(value) : nullptr;
    for (const SizeExpression &size : found ? *found : Sizes()) {
      made.push_back(analysis.facts().simplified(size));
    }
  };
  main.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), add);
    for (Region &region : op->getRegions()) {
      llvm::for_each(region.getArguments(), add);
    }
  });
  return made;
}

// Checks that each operation is valid at the nominal sizes. An invalid operation has a requirement
// on sizes that the analysis doesn't know.
static Status checkNominal(func::FuncOp main) {
  Status status = Done{};
  main.walk([&](Operation *op) {
    std::string error;
    ScopedDiagnosticHandler handler(op->getContext(), [&](mlir::Diagnostic &diagnostic) {
      error = error.empty() ? diagnostic.str() : error;
      return success();
    });
    if (op == main || succeeded(verify(op, /*verifyRecursively=*/false))) {
      return WalkResult::advance();
    }
    status = diagnose(errors::UnsupportedDynamicShape,
                      "no sizes were found that this operation allows: " + error,
                      plan::sourceOf(op->getLoc()),
                      "say which of the program's sizes are equal, or lower it with known sizes");
    return WalkResult::interrupt();
  });
  return status;
}

struct ResolveSizesPass : impl::ResolveSizesPassBase<ResolveSizesPass> {
  using impl::ResolveSizesPassBase<ResolveSizesPass>::ResolveSizesPassBase;
  ResolveSizesPass(std::vector<std::string> named, std::optional<drumlin::Diagnostic> &failure)
      : named(std::move(named)), failure(&failure) {}

  void runOnOperation() override {
    func::FuncOp main = entryFunction(getOperation());
    bool hasDynamic = findUnknownSizes(main) != nullptr;
    main.walk([&](Operation *op) {
      hasDynamic |= stablehlo::DynamicReduceWindow::of(op).has_value() || takesShapes(op);
    });
    named.insert(named.end(), sizes.begin(), sizes.end());
    if (!hasDynamic && named.empty()) {
      return;
    }
    if (Status status = resolve(main); !status) {
      reportFailure(main, status.error(), failure);
      signalPassFailure();
      return;
    }
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function != main) {
        function.erase();
      }
    }
  }

private:
  Status resolve(func::FuncOp main) {
    SizeAnalysis analysis(main);
    Status status = analysis.run();
    // Sizes that depend on elements become values if they have bounds. In later iterations, a loop
    // may change a size that was known at first.
    if (status || !hasBounds(main)) {
      return status ? rewrite(main, analysis) : status;
    }
    if (Status padded = padBounds(main); !padded) {
      return padded;
    }
    SizeAnalysis again(main);
    status = again.run();
    return status ? rewrite(main, again) : status;
  }

  Status rewrite(func::FuncOp main, SizeAnalysis &analysis) {
    takeNames(main, analysis);
    std::map<std::string, int64_t> given;
    std::vector<SizeSymbol> symbols = analysis.facts().symbols();
    for (StringRef text : named) {
      auto [name, digits] = text.split('=');
      int64_t size = 0;
      auto symbol =
          llvm::find_if(symbols, [&](const SizeSymbol &each) { return each.name == name; });
      if (symbol == symbols.end() || digits.getAsInteger(10, size) || size < symbol->minimum ||
          size > symbol->maximum) {
        return diagnose(errors::CommandLineInvalid,
                        "`" + text.str() + "`: the program's sizes are " + textOf(symbols),
                        "--size", "name one of them, and a size that it may have");
      }
      given[name.str()] = size;
    }
    std::vector<SizeConstraint> constraints = analysis.facts().constraints();
    std::vector<SizeExpression> ofTypes = sizesOfTypes(main, analysis);
    if (Status status = chooseNominal(symbols, constraints, ofTypes, given, main.getLoc());
        !status) {
      return status;
    }
    Status status = SizeRewriter(main, analysis, symbols).run();
    status = status ? checkNominal(main) : status;
    if (!symbols.empty()) {
      setSizeSymbols(main, symbols, constraints);
    }
    return status;
  }

  std::vector<std::string> named;
  std::optional<drumlin::Diagnostic> *failure = nullptr;
};

std::unique_ptr<Pass> createResolveSizesPass(std::vector<std::string> sizes,
                                             std::optional<drumlin::Diagnostic> &failure) {
  return std::make_unique<ResolveSizesPass>(std::move(sizes), failure);
}

} // namespace drumlin

// Replaces each GEMM that the target's library can compute by a library call. The parts of its
// prologue and epilogue that the library can't compute become generated kernels.
#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/LibraryCallOp.h"
#include "drumlin/ir/plan/LibraryCalls.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/target/LibraryCheck.h"
#include "drumlin/transforms/DotScales.h"
#include "drumlin/transforms/PassTarget.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/libraries/CallBuilder.h"
#include "drumlin/transforms/libraries/CallPrice.h"
#include "drumlin/transforms/libraries/SplitProduct.h"
#include "drumlin/transforms/libraries/TrainingProducts.h"
#include "drumlin/transforms/select/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SELECTLIBRARYCALLSPASS
#include "drumlin/transforms/select/Passes.h.inc"

using CallOrReason = std::variant<LibraryCall, plan::OwnKernelReason>;

// `results`: the program's values for the kernel's results.
static CallOrReason chooseCall(plan::GemmOp gemm, const GpuTarget &target,
                               ArrayRef<Value> results) {
  auto own = [](const PartsLimit &limit) {
    return plan::OwnKernelReason{limit.limit, limit.detail, ""};
  };
  auto forced = gemm->getAttrOfType<StringAttr>(plan::forcedKernelAttribute);
  if (forced && forced.getValue() == "own") {
    return own({LibraryLimit::Forced, ""});
  }
  std::variant<GemmParts, PartsLimit> parts = gemmParts(gemm);
  if (auto *limit = std::get_if<PartsLimit>(&parts)) {
    return own(*limit);
  }
  CallBuilder builder(gemm, target, std::get<GemmParts>(parts), results);
  if (std::optional<PartsLimit> limit = builder.run()) {
    return own(*limit);
  }
  if (std::optional<LibraryViolation> violation = violationOf(builder.call, target)) {
    return plan::OwnKernelReason{violation->limit, violation->detail,
                                 std::string(violation->source)};
  }
  return std::move(builder.call);
}

static SmallVector<Value> results(plan::GemmOp gemm) {
  return SmallVector<Value>(gemm->result_begin(), gemm->result_end());
}

// Returns the results of the GEMM that is left after the split. If such a result replaces a result
// of the original kernel, returns the original result instead.
static SmallVector<Value> resultsOf(const ProductParts &parts, plan::GemmOp whole) {
  SmallVector<Value> made = results(parts.product);
  for (auto [part, result] : llvm::zip(parts.results, whole->getResults())) {
    llvm::replace(made, part, Value(result));
  }
  return made;
}

static std::string textOf(const plan::OwnKernelReason &reason) {
  return std::string(info(reason.limit).name) + ": " + std::string(info(reason.limit).text) +
         (reason.detail.empty() ? "" : " (" + reason.detail + ")") +
         (reason.manual.empty() ? "" : "; " + reason.manual);
}

static Decision decisionOf(const CallOrReason &choice, const GpuTarget &target) {
  if (std::holds_alternative<LibraryCall>(choice)) {
    Decision taken = Decision::taken();
    taken.remedy = std::string(libraryName(target.library));
    return taken;
  }
  const auto &reason = std::get<plan::OwnKernelReason>(choice);
  return Decision::declined(Reason::NoLibraryCall, nullptr,
                            std::string(info(reason.limit).remedy) + " (" + textOf(reason) + ")");
}

// Returns whether cutting the kernel after its GEMM can remove this limit.
static bool isOfResult(LibraryLimit limit) {
  using enum LibraryLimit;
  return limit == ResultLayout || limit == ResultType || limit == ResultScale;
}

namespace {
// A kernel split into parts, one of which is a library call.
struct FoundParts {
  ProductParts parts;
  ProductCut cut;
  LibraryCall call;
  // The reason why the library can't multiply the operands of the cheaper cuts; nothing if no
  // cheaper cut was rejected.
  std::optional<plan::OwnKernelReason> ofCheaper;
  // operation whose value the GEMM stores; empty: nothing is computed after the GEMM
  std::string behind;
};
} // namespace

// Returns whether the target can multiply the operands of a GEMM that the library rejects because
// of this limit.
static bool isMultiplied(LibraryLimit limit) { return limit > LibraryLimit::OperandType; }

// Returns the cheapest parts whose GEMM the library can compute, without multiplying more slowly
// than the target's units can. If there are none, sets `reason` to the limit of the GEMM without
// its prologue and epilogue.
static std::optional<FoundParts> findParts(plan::GemmOp gemm, const GpuTarget &target,
                                           ProductSplitter &splitter,
                                           plan::OwnKernelReason &reason) {
  struct Way {
    std::vector<ProductCut> ends;
    double rate;
    std::optional<plan::OwnKernelReason> reason; // why the GEMM without its epilogue is no call
  };
  std::vector<Way> ways;
  double fastest = 0;
  for (const ProductCut &cut : operandCuts(gemm)) {
    Way way = {endsOf(gemm, cut), target.operationsPerSecond(multipliedType(gemm, cut)), {}};
    ProductParts alone = splitter.split(
        gemm, *llvm::max_element(way.ends, [](const ProductCut &a, const ProductCut &b) {
          return a.operationsBehind < b.operationsBehind;
        }));
    CallOrReason choice = chooseCall(alone.product, target, resultsOf(alone, gemm));
    splitter.undo(alone);
    if (auto *limit = std::get_if<plan::OwnKernelReason>(&choice)) {
      way.reason = std::move(*limit);
    }
    if (!way.reason || isMultiplied(way.reason->limit)) {
      fastest = std::max(fastest, way.rate);
    }
    ways.push_back(std::move(way));
  }
  std::vector<ProductCut> cuts;
  std::optional<plan::OwnKernelReason> ofCheaper;
  for (const Way &way : ways) {
    if (way.reason && !isOfResult(way.reason->limit)) {
      if (cuts.empty() && way.ends.front().cutsOperands() && !ofCheaper) {
        ofCheaper = way.reason;
      }
    } else if (way.rate >= fastest) {
      llvm::append_range(cuts, way.ends);
    }
  }
  if (cuts.empty()) {
    // Among the fastest ways to cut the operands, the last gives them the library's preferred
    // layout, so its reason is reported.
    auto last = llvm::find_if(llvm::reverse(ways), [&](const Way &way) {
      return way.reason && way.rate == fastest && isMultiplied(way.reason->limit);
    });
    if (!ways.empty()) {
      reason = *(last == ways.rend() ? ways.back() : *last).reason;
    }
  }
  llvm::sort(cuts);
  for (ProductCut &cut : cuts) {
    if (!cut.cutsOperands() && !cut.end) {
      continue; // not split
    }
    ProductParts parts = splitter.split(gemm, cut);
    CallOrReason choice = chooseCall(parts.product, target, resultsOf(parts, gemm));
    if (auto *call = std::get_if<LibraryCall>(&choice)) {
      std::string behind =
          cut.end ? cut.end.getDefiningOp()->getName().getStringRef().str() : std::string();
      return FoundParts{std::move(parts), std::move(cut), std::move(*call), std::move(ofCheaper),
                        std::move(behind)};
    }
    splitter.undo(parts);
  }
  return std::nullopt;
}

// Returns a clone of the kernel in which the operands' scales are applied after the dot, whose type
// becomes f32. Returns null if no operand has a scale that is constant along the contracting
// dimensions.
static plan::GemmOp withScalesBehind(plan::GemmOp gemm) {
  auto isScaled = [](plan::GemmOp kernel) {
    auto dot = dyn_cast<stablehlo::DotGeneralOp>(contractionOf(kernel.getBody().front()));
    return dot && isa<FloatType>(getElementTypeOrSelf(dot.getType())) &&
           (scaledOperand(dot, 0) || scaledOperand(dot, 1));
  };
  if (!isScaled(gemm)) {
    return nullptr;
  }
  OpBuilder builder(gemm);
  auto made = cast<plan::GemmOp>(builder.clone(*gemm));
  auto dot = cast<stablehlo::DotGeneralOp>(contractionOf(made.getBody().front()));
  auto type = cast<RankedTensorType>(dot.getType());
  if (type.getElementTypeBitWidth() < 32) {
    dot.getResult().setType(type.clone(builder.getF32Type()));
    builder.setInsertionPointAfter(dot);
    auto rounded = stablehlo::ConvertOp::create(builder, dot.getLoc(), type, dot.getResult());
    dot.getResult().replaceAllUsesExcept(rounded, rounded);
  }
  for (unsigned operand : {0u, 1u}) {
    std::optional<ScaledOperand> scaled = scaledOperand(dot, operand);
    for (; scaled && scaled->product->hasOneUse(); scaled = scaledOperand(dot, operand)) {
      factorScale(dot, *scaled);
    }
  }
  return made;
}

// Calls findParts() on the kernel. If the library doesn't support the operands' scales, calls it on
// the kernel with the scales moved after the dot: they then multiply accumulators, as in the
// library.
static std::optional<FoundParts> findPartsWithScales(plan::GemmOp gemm, const GpuTarget &target,
                                                     ProductSplitter &splitter,
                                                     plan::OwnKernelReason &reason) {
  std::optional<FoundParts> found = findParts(gemm, target, splitter, reason);
  plan::GemmOp scaled = found ? nullptr : withScalesBehind(gemm);
  if (scaled) {
    plan::OwnKernelReason ofScaled;
    found = findParts(scaled, target, splitter, ofScaled);
    scaled->erase();
  }
  if (found && scaled) {
    found->call.roundings.emplace_back(
        "scales multiply sums, but the program rounds scaled elements");
  }
  return found;
}

static std::string describe(const FoundParts &found) {
  static constexpr std::array sides = {"left", "right"};
  SmallVector<std::string> kernels;
  for (auto [side, operand] : llvm::zip(sides, found.cut.operands)) {
    if (operand.value) {
      kernels.push_back(llvm::formatv("one computes its {0} operand", side));
    }
  }
  if (found.parts.after) {
    kernels.push_back("one computes the part after " + found.behind);
  }
  return "kernels of our own around it: " + llvm::join(kernels, ", ");
}

static void replaceByCall(plan::GemmOp gemm, const LibraryCall &call, const GpuTarget &target) {
  OpBuilder builder(gemm);
  auto made = plan::LibraryCallOp::create(builder, gemm.getLoc(), gemm.getResultTypes(),
                                          gemm.getInputs(), target.name,
                                          plan::libraryCallAttr(gemm.getContext(), call, target));
  made->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());
  made.getBody().takeBody(gemm.getBody());
  gemm->replaceAllUsesWith(made);
  gemm->erase();
}

struct SelectLibraryCallsPass : impl::SelectLibraryCallsPassBase<SelectLibraryCallsPass> {
  using impl::SelectLibraryCallsPassBase<SelectLibraryCallsPass>::SelectLibraryCallsPassBase;
  SelectLibraryCallsPass(Ledger &ledger, const GpuTarget &target,
                         std::function<bool(ModuleOp)> keepsRequirements)
      : ledger(&ledger), target(&target), keepsRequirements(std::move(keepsRequirements)) {}

  void runOnOperation() override {
    const GpuTarget *gpu = target ? target : findGpuTarget(targetName);
    if (!gpu) {
      getOperation().emitError() << "`" << targetName << "` names no target with a library";
      return signalPassFailure();
    }
    SmallVector<plan::GemmOp> products;
    getOperation().walk([&](plan::GemmOp gemm) { products.push_back(gemm); });
    for (plan::GemmOp &gemm : products) {
      moveGradient(gemm, products);
    }
    for (plan::GemmOp &gemm : products) {
      testResults(gemm);
      handOver(gemm);
    }
    // Collects the GEMMs in program order again, since moving gradients has changed the order.
    products.clear();
    getOperation().walk([&](plan::GemmOp gemm) { products.push_back(gemm); });
    ProductSplitter splitter;
    for (plan::GemmOp gemm : products) {
      select(gemm, *gpu, splitter);
    }
  }

private:
  Decision record(Rule rule, plan::GemmOp gemm, Decision decision) {
    Operation *product = contractionOf(gemm.getBody().front());
    return ledger ? ledger->recordUnlessOff(rule, product, std::move(decision)) : decision;
  }

  void moveGradient(plan::GemmOp &gemm, MutableArrayRef<plan::GemmOp> products) {
    std::optional<MisplacedGradient> found = findMisplacedGradient(gemm);
    if (!found) {
      return;
    }
    Decision decision = Decision::taken();
    decision.remedy = "a gradient is computed in the epilogue of the GEMM that it multiplies";
    if (!record(Rule::HandOverActivation, gemm, std::move(decision)).isTaken()) {
      return;
    }
    auto *backward = llvm::find(products, found->backward);
    std::tie(gemm, *backward) = applyMisplacedGradient(*found);
  }

  void testResults(plan::GemmOp gemm) {
    for (const ReluMask &found : findReluMasks(gemm)) {
      Decision decision = Decision::taken();
      decision.remedy = "a relu's result is above 0 exactly where its input is";
      if (record(Rule::HandOverActivation, gemm, std::move(decision)).isTaken()) {
        applyReluMask(found);
      }
    }
  }

  void handOver(plan::GemmOp &gemm) {
    std::optional<HandOver> found = findHandOver(gemm);
    if (!found) {
      return;
    }
    Decision decision = Decision::taken();
    if (found->bytesSaved > 0) {
      decision.tradeoff = Tradeoff{found->bytesSaved, 0};
    } else {
      decision.remedy = "the library's gradient reads the relu's input";
    }
    if (record(Rule::HandOverActivation, gemm, std::move(decision)).isTaken()) {
      gemm = applyHandOver(*found);
    }
  }

  // Adds a sum to a GEMM's library call if the library can compute both in one call.
  void absorbSum(plan::GemmOp &gemm, LibraryCall &call, const GpuTarget &target) {
    for (const SumBeside &beside : sumsBeside(gemm)) {
      plan::GemmOp both = withSum(gemm, beside);
      SmallVector<Value> standsFor = results(gemm);
      standsFor.push_back(beside.kernel->getResult(0));
      CallOrReason choice = chooseCall(both, target, standsFor);
      Decision decision = decisionOf(choice, target);
      decision.tradeoff = Tradeoff{bytesOf(beside.summed), 0};
      if (!record(Rule::AbsorbBiasGradient, gemm, std::move(decision)).isTaken()) {
        both->erase();
        continue;
      }
      auto &made = std::get<LibraryCall>(choice);
      for (const std::string &rounding : call.roundings) {
        if (!llvm::is_contained(made.roundings, rounding)) {
          made.roundings.push_back(rounding);
        }
      }
      call = std::move(made);
      gemm->replaceAllUsesWith(both->getResults().drop_back());
      gemm->erase();
      gemm = both;
      readSum(beside, both);
      return;
    }
  }

  void select(plan::GemmOp gemm, const GpuTarget &target, ProductSplitter &splitter) {
    CallOrReason choice = chooseCall(gemm, target, results(gemm));
    std::optional<FoundParts> found;
    auto *whole = std::get_if<plan::OwnKernelReason>(&choice);
    if (whole && whole->limit != LibraryLimit::Forced) {
      found = findPartsWithScales(gemm, target, splitter, *whole);
    }
    if (found && !splits(gemm, *found, *whole)) {
      splitter.undo(found->parts);
      found.reset();
    }
    if (found) {
      choice = found->call;
    }
    Decision decision = decisionOf(choice, target);
    auto *call = std::get_if<LibraryCall>(&choice);
    if (call) {
      CallPrice price = priceOfCall(gemm, found ? &found->parts : nullptr, target);
      decision.remedy = price.str(libraryName(target.library));
    }
    decision = record(Rule::SelectLibraryCall, gemm, std::move(decision));
    if (decision.isTaken() && found) {
      gemm->replaceAllUsesWith(found->parts.results);
      gemm->erase();
      gemm = found->parts.product;
    } else if (found) {
      splitter.undo(found->parts);
    }
    if (decision.isTaken()) {
      absorbSum(gemm, *call, target);
      replaceByCall(gemm, *call, target);
    } else {
      plan::setOwnKernel(gemm, call ? plan::OwnKernelReason{LibraryLimit::Forced, "", ""}
                                    : std::get<plan::OwnKernelReason>(choice));
    }
  }

  // Decides whether to split the kernel, and records the decision.
  bool splits(plan::GemmOp gemm, const FoundParts &found, const plan::OwnKernelReason &whole) {
    Decision decision = Decision::declined(Reason::RequiredWhole);
    if (keeps(gemm, found.parts)) {
      decision = Decision::taken();
      decision.remedy = describe(found) + "; the whole kernel is no call: " + textOf(whole);
      if (found.ofCheaper) {
        decision.remedy +=
            "; with operands that are cheaper to compute: " + textOf(*found.ofCheaper);
      }
    }
    decision.tradeoff = Tradeoff{found.cut.bytes, 0};
    return record(Rule::SplitProduct, gemm, std::move(decision)).isTaken();
  }

  // Returns whether requirements still hold if the parts replace the kernel.
  bool keeps(plan::GemmOp gemm, const ProductParts &parts) {
    if (!keepsRequirements) {
      return true;
    }
    // The kernel is temporarily removed from the program.
    Operation *next = gemm->getNextNode();
    std::vector<std::pair<OpOperand *, Value>> uses;
    for (auto [whole, part] : llvm::zip(gemm->getResults(), parts.results)) {
      for (OpOperand &use : llvm::make_early_inc_range(whole.getUses())) {
        uses.emplace_back(&use, whole);
        use.set(part);
      }
    }
    gemm->remove();
    bool keeps = keepsRequirements(getOperation()->getParentOfType<ModuleOp>());
    next->getBlock()->getOperations().insert(next->getIterator(), gemm);
    for (auto [use, whole] : uses) {
      use->set(whole);
    }
    return keeps;
  }

  Ledger *ledger = nullptr;
  const GpuTarget *target = nullptr;
  std::function<bool(ModuleOp)> keepsRequirements;
};

std::unique_ptr<Pass>
createSelectLibraryCallsPass(Ledger &ledger, const GpuTarget &target,
                             std::function<bool(ModuleOp)> keepsRequirements) {
  return std::make_unique<SelectLibraryCallsPass>(ledger, target, std::move(keepsRequirements));
}

} // namespace drumlin

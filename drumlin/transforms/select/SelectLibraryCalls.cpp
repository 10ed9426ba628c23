// Each product that a call of the target's library computes becomes that call; what the library
// doesn't compute in front of it or behind it becomes kernels of our own.
#include "drumlin/ir/plan/LibraryCalls.h"
#include "drumlin/ir/plan/Work.h"
#include "drumlin/transforms/PassTarget.h"
#include "drumlin/transforms/libraries/CallBuilder.h"
#include "drumlin/transforms/libraries/SplitProduct.h"
#include "drumlin/transforms/select/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SELECTLIBRARYCALLSPASS
#include "drumlin/transforms/select/Passes.h.inc"

using CallOrReason = std::variant<LibraryCall, plan::OwnKernelReason>;

static CallOrReason chooseCall(plan::GemmOp gemm, const GpuTarget &target) {
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
  CallBuilder builder(gemm, target, std::get<GemmParts>(parts));
  if (std::optional<PartsLimit> limit = builder.run()) {
    return own(*limit);
  }
  if (std::optional<LibraryViolation> violation = violationOf(builder.call, target)) {
    return plan::OwnKernelReason{violation->limit, violation->detail,
                                 std::string(violation->source)};
  }
  return std::move(builder.call);
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
  return Decision::declined(Reason::NoLibraryCall, nullptr,
                            textOf(std::get<plan::OwnKernelReason>(choice)));
}

// Whether cutting the kernel behind its product changes what is in the way.
static bool isOfResult(LibraryLimit limit) {
  using enum LibraryLimit;
  return limit == ResultLayout || limit == ResultType || limit == ResultScale;
}

namespace {
// A kernel whose parts the library has a call in.
struct FoundParts {
  ProductParts parts;
  ProductCut cut;
  LibraryCall call;
  // Why the library doesn't multiply operands that are cheaper to make; nothing where there are
  // none.
  std::optional<plan::OwnKernelReason> ofCheaper;
};
} // namespace

// The cheapest parts of which the library computes the product. Where it computes the product in
// none, `reason` becomes that of the product alone, of operands which lie as it reads them best.
static std::optional<FoundParts> findParts(plan::GemmOp gemm, const GpuTarget &target,
                                           ProductSplitter &splitter,
                                           plan::OwnKernelReason &reason) {
  std::vector<ProductCut> cuts;
  std::optional<plan::OwnKernelReason> ofProduct, ofCheaper;
  for (const ProductCut &cut : operandCuts(gemm)) {
    // The product alone, without anything behind it.
    std::vector<ProductCut> ends = endsOf(gemm, cut);
    ProductParts alone = splitter.split(
        gemm, *llvm::max_element(ends, [](const ProductCut &a, const ProductCut &b) {
          return a.operationsBehind < b.operationsBehind;
        }));
    CallOrReason choice = chooseCall(alone.product, target);
    splitter.undo(alone);
    auto *limit = std::get_if<plan::OwnKernelReason>(&choice);
    if (!limit || isOfResult(limit->limit)) {
      llvm::append_range(cuts, ends);
    } else {
      if (cut.cutsOperands() && cuts.empty() && !ofCheaper) {
        ofCheaper = *limit;
      }
      ofProduct = std::move(*limit);
    }
  }
  if (cuts.empty() && ofProduct) {
    reason = std::move(*ofProduct);
  }
  llvm::sort(cuts);
  for (ProductCut &cut : cuts) {
    if (!cut.cutsOperands() && !cut.end) {
      continue; // the whole kernel
    }
    ProductParts parts = splitter.split(gemm, cut);
    CallOrReason choice = chooseCall(parts.product, target);
    if (auto *call = std::get_if<LibraryCall>(&choice)) {
      return FoundParts{std::move(parts), std::move(cut), std::move(*call), std::move(ofCheaper)};
    }
    splitter.undo(parts);
  }
  return std::nullopt;
}

static std::string describe(const FoundParts &found) {
  static constexpr std::array sides = {"left", "right"};
  SmallVector<std::string> kernels;
  for (auto [side, operand] : llvm::zip(sides, found.cut.operands)) {
    if (operand.value) {
      kernels.push_back(llvm::formatv("one makes its {0} operand", side));
    }
  }
  if (found.parts.after) {
    kernels.push_back("one computes what is behind " +
                      found.cut.end.getDefiningOp()->getName().getStringRef().str());
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

  void select(plan::GemmOp gemm, const GpuTarget &target, ProductSplitter &splitter) {
    CallOrReason choice = chooseCall(gemm, target);
    std::optional<FoundParts> found;
    auto *whole = std::get_if<plan::OwnKernelReason>(&choice);
    if (whole && whole->limit != LibraryLimit::Forced) {
      found = findParts(gemm, target, splitter, *whole);
    }
    if (found && !splits(gemm, *found, *whole)) {
      splitter.undo(found->parts);
      found.reset();
    }
    if (found) {
      choice = found->call;
    }
    Decision decision = record(Rule::SelectLibraryCall, gemm, decisionOf(choice, target));
    auto *call = std::get_if<LibraryCall>(&choice);
    if (decision.isTaken() && found) {
      gemm->replaceAllUsesWith(found->parts.results);
      gemm->erase();
      gemm = found->parts.product;
    } else if (found) {
      splitter.undo(found->parts);
    }
    if (decision.isTaken()) {
      replaceByCall(gemm, *call, target);
    } else {
      plan::setOwnKernel(gemm, call ? plan::OwnKernelReason{LibraryLimit::Forced, "", ""}
                                    : std::get<plan::OwnKernelReason>(choice));
    }
  }

  // Whether the kernel is to be split, which the ledger is told.
  bool splits(plan::GemmOp gemm, const FoundParts &found, const plan::OwnKernelReason &whole) {
    Decision decision = Decision::declined(Reason::RequiredWhole);
    if (keeps(gemm, found.parts)) {
      decision = Decision::taken();
      decision.remedy = describe(found) + "; whole it is no call: " + textOf(whole);
      if (found.ofCheaper) {
        decision.remedy += "; of operands that are cheaper to make: " + textOf(*found.ofCheaper);
      }
    }
    decision.tradeoff = Tradeoff{found.cut.bytes, 0};
    return record(Rule::SplitProduct, gemm, std::move(decision)).isTaken();
  }

  // Whether requirements hold with the parts in the kernel's place.
  bool keeps(plan::GemmOp gemm, const ProductParts &parts) {
    if (!keepsRequirements) {
      return true;
    }
    // The kernel is out of the program meanwhile.
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

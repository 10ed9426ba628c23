// Each product that a call of the target's library computes becomes that call; what rounds its
// operands becomes kernels before it.
#include "drumlin/ir/plan/LibraryCalls.h"
#include "drumlin/ir/plan/Work.h"
#include "drumlin/transforms/PassTarget.h"
#include "drumlin/transforms/libraries/CallBuilder.h"
#include "drumlin/transforms/libraries/SplitRoundings.h"
#include "drumlin/transforms/select/Passes.h"

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

static Decision decisionOf(const CallOrReason &choice, const GpuTarget &target) {
  if (std::holds_alternative<LibraryCall>(choice)) {
    Decision taken = Decision::taken();
    taken.remedy = std::string(libraryName(target.library));
    return taken;
  }
  const auto &reason = std::get<plan::OwnKernelReason>(choice);
  return Decision::declined(Reason::NoLibraryCall, nullptr,
                            std::string(info(reason.limit).name) + ": " +
                                std::string(info(reason.limit).text) +
                                (reason.detail.empty() ? "" : " (" + reason.detail + ")") +
                                (reason.manual.empty() ? "" : "; " + reason.manual));
}

static bool computesOperand(const CallOrReason &choice) {
  const auto *reason = std::get_if<plan::OwnKernelReason>(&choice);
  return reason && reason->limit == LibraryLimit::OperandComputed;
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
  SelectLibraryCallsPass(Ledger &ledger, const GpuTarget &target)
      : ledger(&ledger), target(&target) {}

  void runOnOperation() override {
    const GpuTarget *gpu = target ? target : findGpuTarget(targetName);
    if (!gpu) {
      getOperation().emitError() << "`" << targetName << "` names no target with a library";
      return signalPassFailure();
    }
    SmallVector<plan::GemmOp> products;
    getOperation().walk([&](plan::GemmOp gemm) { products.push_back(gemm); });
    RoundingSplitter splitter;
    for (plan::GemmOp gemm : products) {
      CallOrReason choice = chooseCall(gemm, *gpu);
      // The product of operands that are rounded before it, if the library computes that.
      plan::GemmOp split = computesOperand(choice) ? splitter.split(gemm) : nullptr;
      if (split) {
        CallOrReason ofSplit = chooseCall(split, *gpu);
        if (std::holds_alternative<LibraryCall>(ofSplit)) {
          choice = std::move(ofSplit);
        } else {
          LibraryLimit limit = std::get<plan::OwnKernelReason>(ofSplit).limit;
          std::get<plan::OwnKernelReason>(choice).detail +=
              ", and rounded before it: " + std::string(info(limit).name);
          splitter.undo(split);
          split = nullptr;
        }
      }
      Decision decision = decisionOf(choice, *gpu);
      if (split) {
        decision.remedy += ", behind kernels that round its operands";
      }
      if (ledger) {
        decision = ledger->recordUnlessOff(Rule::SelectLibraryCall,
                                           contractionOf(gemm.getBody().front()), decision);
      }
      if (decision.isTaken()) {
        if (split) {
          gemm->replaceAllUsesWith(split);
          gemm->erase();
        }
        replaceByCall(split ? split : gemm, std::get<LibraryCall>(choice), *gpu);
      } else {
        if (split) {
          splitter.undo(split);
        }
        auto *reason = std::get_if<plan::OwnKernelReason>(&choice);
        plan::setOwnKernel(gemm,
                           reason ? *reason : plan::OwnKernelReason{LibraryLimit::Forced, "", ""});
      }
    }
  }

private:
  Ledger *ledger = nullptr;
  const GpuTarget *target = nullptr;
};

std::unique_ptr<Pass> createSelectLibraryCallsPass(Ledger &ledger, const GpuTarget &target) {
  return std::make_unique<SelectLibraryCallsPass>(ledger, target);
}

} // namespace drumlin

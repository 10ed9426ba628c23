// The passes over what callers say about the entry's arguments.
#include "drumlin/transforms/entry/Passes.h"
#include "drumlin/transforms/entry/StaticArguments.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_MARKSTATICPASS
#define GEN_PASS_DEF_BINDWEIGHTSPASS
#include "drumlin/transforms/entry/Passes.h.inc"

// Where drumlin-opt runs a pass, the diagnostic is all that says why.
static void report(Operation *module, const Diagnostic &reason,
                   std::optional<Diagnostic> *failure) {
  module->emitError(reason.message);
  if (failure) {
    *failure = reason;
  }
}

struct MarkStaticPass : impl::MarkStaticPassBase<MarkStaticPass> {
  using impl::MarkStaticPassBase<MarkStaticPass>::MarkStaticPassBase;
  MarkStaticPass(std::vector<int64_t> named, std::optional<Diagnostic> &failure)
      : named(std::move(named)), failure(&failure) {}

  void runOnOperation() override {
    named.insert(named.end(), arguments.begin(), arguments.end());
    if (Status status = markStatic(getOperation(), named); !status) {
      report(getOperation(), status.error(), failure);
      signalPassFailure();
    }
  }

private:
  std::vector<int64_t> named;
  std::optional<Diagnostic> *failure = nullptr;
};

struct BindWeightsPass : impl::BindWeightsPassBase<BindWeightsPass> {
  using impl::BindWeightsPassBase<BindWeightsPass>::BindWeightsPassBase;
  BindWeightsPass(std::string named, std::vector<NamedTensor> &weights,
                  std::optional<Diagnostic> &failure)
      : named(std::move(named)), weights(&weights), failure(&failure) {}

  void runOnOperation() override {
    Result<std::vector<NamedTensor>> bound =
        bindWeights(getOperation(), named.empty() ? file.getValue() : named);
    if (!bound) {
      report(getOperation(), bound.error(), failure);
      return signalPassFailure();
    }
    if (weights) {
      *weights = std::move(*bound);
    }
  }

private:
  std::string named;
  std::vector<NamedTensor> *weights = nullptr;
  std::optional<Diagnostic> *failure = nullptr;
};

std::unique_ptr<Pass> createMarkStaticPass(std::vector<int64_t> arguments,
                                           std::optional<Diagnostic> &failure) {
  return std::make_unique<MarkStaticPass>(std::move(arguments), failure);
}

std::unique_ptr<Pass> createBindWeightsPass(std::string file, std::vector<NamedTensor> &weights,
                                            std::optional<Diagnostic> &failure) {
  return std::make_unique<BindWeightsPass>(std::move(file), weights, failure);
}

} // namespace drumlin

// Marks arguments that are the same at every call.
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/transforms/PassFailure.h"
#include "drumlin/transforms/entry/Passes.h"

#include <span>

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_MARKSTATICPASS
#include "drumlin/transforms/entry/Passes.h.inc"

// `drumlin.static`, alone or as a Boolean, becomes the attribute alone or none.
static Status settleStatic(func::FuncOp main, BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  Attribute attribute = main.getArgAttr(number, staticAttribute);
  auto flag = dyn_cast_or_null<BoolAttr>(attribute);
  if (attribute && !flag && !isa<UnitAttr>(attribute)) {
    return diagnose(DiagnosticCode::UnsupportedAttribute,
                    "argument " + std::to_string(number) + " has `" + staticAttribute +
                        "`, which is neither true nor false",
                    plan::sourceOf(main.getLoc()),
                    "write the attribute alone, or `true` or `false`");
  }
  if (flag && !flag.getValue()) {
    main.removeArgAttr(number, staticAttribute);
  } else if (flag) {
    main.setArgAttr(number, staticAttribute, UnitAttr::get(main.getContext()));
  }
  return Done{};
}

// Fails with UnknownArgument, with UnsupportedAttribute where the program says anything but true or
// false, and with StaticDonated where such an argument is donated.
static Status markStatic(ModuleOp module, std::span<const int64_t> arguments) {
  func::FuncOp main = entryFunction(module);
  for (BlockArgument argument : main.getArguments()) {
    if (Status status = settleStatic(main, argument); !status) {
      return status;
    }
  }
  for (int64_t number : arguments) {
    if (number < 0 || number >= main.getNumArguments()) {
      return diagnose(DiagnosticCode::UnknownArgument,
                      "the program has no argument " + std::to_string(number) + ": it takes " +
                          std::to_string(main.getNumArguments()),
                      "--static-args");
    }
    main.setArgAttr(static_cast<unsigned>(number), staticAttribute,
                    UnitAttr::get(module.getContext()));
  }
  for (BlockArgument argument : main.getArguments()) {
    unsigned number = argument.getArgNumber();
    std::optional<int64_t> result = donatedTo(argument);
    if (result && main.getArgAttr(number, staticAttribute)) {
      return diagnose(DiagnosticCode::StaticDonated,
                      "argument " + std::to_string(number) +
                          " is the same at every call, and gives its memory to result " +
                          std::to_string(*result) + ", which takes its place",
                      plan::sourceOf(main.getLoc()));
    }
  }
  return Done{};
}

struct MarkStaticPass : impl::MarkStaticPassBase<MarkStaticPass> {
  using impl::MarkStaticPassBase<MarkStaticPass>::MarkStaticPassBase;
  MarkStaticPass(std::vector<int64_t> named, std::optional<Diagnostic> &failure)
      : named(std::move(named)), failure(&failure) {}

  void runOnOperation() override {
    named.insert(named.end(), arguments.begin(), arguments.end());
    if (Status status = markStatic(getOperation(), named); !status) {
      reportFailure(getOperation(), status.error(), failure);
      signalPassFailure();
    }
  }

private:
  std::vector<int64_t> named;
  std::optional<Diagnostic> *failure = nullptr;
};

std::unique_ptr<Pass> createMarkStaticPass(std::vector<int64_t> arguments,
                                           std::optional<Diagnostic> &failure) {
  return std::make_unique<MarkStaticPass>(std::move(arguments), failure);
}

} // namespace drumlin

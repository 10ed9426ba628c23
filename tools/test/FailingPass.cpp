// `drumlin` with a pass that fails at the end of a phase, like a fault in the compiler, for tests
// of what the user then sees. DRUMLIN_FAILING_PHASE names the phase. DRUMLIN_FAILING_KIND selects
// another fault. `crash`: a signal kills the process. `overflow`: a thread that compiles kernels
// overflows its stack. `wrong`: the first addition of the program silently becomes a subtraction.
// `other-code`: the same happens after the kernels have been compiled, so that the native code
// doesn't do what the plan says.
#include "commands/CommandLine.h"
#include "drumlin/driver/Options.h"

#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/SubtractOp.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

// The program whose kernels are to be compiled next.
static mlir::ModuleOp compiled;

static void makeWrong(mlir::ModuleOp module) {
  module.walk([](drumlin::stablehlo::AddOp add) {
    mlir::OpBuilder builder(add);
    auto wrong = drumlin::stablehlo::SubtractOp::create(builder, add.getLoc(),
                                                        add->getResultTypes(), add->getOperands());
    add->replaceAllUsesWith(wrong);
    add->erase();
    return mlir::WalkResult::interrupt();
  });
}

namespace {
struct FailingPass : mlir::PassWrapper<FailingPass, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FailingPass)
  llvm::StringRef getArgument() const override { return "failing"; }
  void runOnOperation() override {
    const char *kind = std::getenv("DRUMLIN_FAILING_KIND");
    if (kind && std::string_view(kind) == "crash") {
      std::raise(SIGSEGV);
    }
    if (kind && std::string_view(kind) == "wrong") {
      makeWrong(getOperation());
      return;
    }
    if (kind && std::string_view(kind) == "other-code") {
      compiled = getOperation();
      return;
    }
    getOperation().emitError("this pass always fails");
    signalPassFailure();
  }
};
} // namespace

static int overflow(volatile char *above) {
  volatile char frame[4096];
  frame[0] = above ? above[0] : 0;
  // This is never true, but the C++ compiler can't know that.
  return frame[0] == 1 ? 0 : overflow(frame) + frame[0];
}

int main(int argc, char **argv) {
  drumlin::cli::handleSignals();
  drumlin::CompileOptions defaults;
  const char *phase = std::getenv("DRUMLIN_FAILING_PHASE");
  const char *kind = std::getenv("DRUMLIN_FAILING_KIND");
  if (kind && std::string_view(kind) == "overflow") {
    // Each thread reports its own progress, one thread at a time. The first thread waits here so
    // that another thread compiles a kernel, too.
    defaults.progress = [first = std::this_thread::get_id()](const std::string &step, size_t,
                                                             size_t) {
      if (step == "kernels" && std::this_thread::get_id() != first) {
        overflow(nullptr);
      } else if (step == "kernels") {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
      }
    };
    return drumlin::cli::runCommandLine(argc, argv, defaults);
  }
  if (kind && std::string_view(kind) == "other-code") {
    defaults.progress = [](const std::string &step, size_t done, size_t total) {
      // Changes only the first compilation, since the checker compiles a kernel again to find the
      // faulty operation.
      if (step == "kernels" && done == total && compiled) {
        makeWrong(std::exchange(compiled, {}));
      }
    };
  }
  defaults.addedPasses.emplace_back(phase ? phase : "fusion",
                                    [] { return std::make_unique<FailingPass>(); });
  return drumlin::cli::runCommandLine(argc, argv, defaults);
}

#include "drumlin/driver/CompileBudget.h"

#include "drumlin/driver/Options.h"
#include "drumlin/ir/costs/CostText.h"
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "drumlin/target/MachineFacts.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdio>
#include <limits>
#include <unistd.h>

using namespace mlir;

namespace drumlin {

// Returns the bytes of resident memory, without file-backed pages; 0 if unknown.
static int64_t heldBytes() {
  std::FILE *file = std::fopen("/proc/self/statm", "re");
  long long total = 0, resident = 0, shared = 0;
  bool isRead = file && std::fscanf(file, "%lld %lld %lld", &total, &resident, &shared) == 3;
  if (file) {
    std::fclose(file);
  }
  return isRead ? (resident - shared) * static_cast<int64_t>(getpagesize()) : 0;
}

// Returns three quarters of the memory that the process may still allocate. The total of usable
// memory is determined only once: it is constant, and determining it takes several file reads.
static int64_t defaultBytes(int64_t held) {
  static const int64_t usable = usableMemory();
  return usable == 0 ? std::numeric_limits<int64_t>::max()
                     : std::max<int64_t>((usable - held) / 4 * 3, 0);
}

CompileBudget::CompileBudget(const CompileOptions &options, std::string place)
    : isInterrupted(options.isInterrupted), place(std::move(place)),
      begin(std::chrono::steady_clock::now()), seconds(options.compileSeconds),
      bytesBefore(heldBytes()), operations(options.compileOperations) {
  bytes = options.compileMemory ? static_cast<int64_t>(options.compileMemory)
                                : defaultBytes(bytesBefore);
}

Status CompileBudget::check(const std::string &step) const {
  if (isInterrupted && isInterrupted()) {
    return diagnose(errors::CompileInterrupted, "the compilation was interrupted");
  }
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (taken.count() > seconds) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.3g s, more than %.3g s", taken.count(), seconds);
    return diagnose(errors::CompileTimeLimit,
                    "compilation has taken " + std::string(text) + ", at " + step, place);
  }
  int64_t more = heldBytes() - bytesBefore;
  if (more > bytes) {
    return diagnose(errors::CompileMemoryLimit,
                    "compilation holds " + bytesText(more) + " of memory, more than " +
                        bytesText(bytes) + ", at " + step,
                    place);
  }
  return Done{};
}

Status CompileBudget::check(const std::string &step, Operation *root) const {
  int64_t count = 0;
  root->walk([&](Operation *) { ++count; });
  if (count > operations) {
    return diagnose(errors::CompileOperationsLimit,
                    "the program has " + std::to_string(count) + " operations, more than " +
                        std::to_string(operations) + ", at " + step,
                    place);
  }
  return check(step);
}

namespace {
// This pass has no flag, since users neither name it in options nor see it in reports.
class BudgetCheck : public PassWrapper<BudgetCheck, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BudgetCheck)

  BudgetCheck(const CompileBudget &budget, std::string step,
              std::optional<drumlin::Diagnostic> &failure)
      : budget(&budget), step(std::move(step)), failure(&failure) {}

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (Status status = budget->check(step); !status) {
      *failure = status.error();
      signalPassFailure();
    }
  }

private:
  const CompileBudget *budget;
  std::string step;
  std::optional<drumlin::Diagnostic> *failure;
};
} // namespace

std::unique_ptr<Pass> createBudgetCheck(const CompileBudget &budget, std::string step,
                                        std::optional<drumlin::Diagnostic> &failure) {
  return std::make_unique<BudgetCheck>(budget, std::move(step), failure);
}

} // namespace drumlin

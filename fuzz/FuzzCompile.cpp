// Fuzzes the whole compiler with program text. If DRUMLIN_FUZZ_PLANS is set, the input is instead
// the text that a phase wrote, after a first line that names this phase. Compilation then continues
// after the phase. Each input must compile to an image or be refused with a reason. Otherwise the
// process ends with a message. No image is run: the random programs (fuzz/programs) compare results
// with the interpreter.
#include "drumlin/driver/Compiler.h"
#include "drumlin/import/Import.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "drumlin/target/TargetNames.h"
#include "fuzz/Finding.h"

#include <algorithm>
#include <memory>

using namespace drumlin;

static constexpr bool arePlans = DRUMLIN_FUZZ_PLANS != 0;

// Limits that keep the time and memory per input small.
static CompileOptions smallOptions() {
  CompileOptions options;
  options.level = 0;
  options.threads = 1;
  options.useCache = false;
  options.compileSeconds = 10;
  options.compileMemory = uint64_t(1) << 30;
  options.compileOperations = 20'000;
  options.target = *targetFromName("x86-64-v3");
  return options;
}

static void checkRefusal(const Diagnostic &error) {
  if (error.message.empty()) {
    fuzz::fail("refused without a reason", error.str());
  }
  if (error.code == errors::InternalError) {
    fuzz::fail("internal compiler error", error.str());
  }
}

static void check(std::string_view text, const std::string &phase) {
  mlir::DialectRegistry registry = programDialects();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  ImportLimits limits;
  limits.bytes = size_t(1) << 20;
  limits.plans = arePlans;
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importText(text, "input", context, limits);
  if (!module) {
    checkRefusal(module.error());
    return;
  }
  CompileOptions options = smallOptions();
  options.startFrom = phase;
  Result<Compilation> made = compile(**module, "input", options);
  if (!made) {
    checkRefusal(made.error());
  }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  std::string phase;
  if (arePlans) {
    size_t end = std::min(text.find('\n'), text.size());
    phase = text.substr(0, end);
    if (std::ranges::find(phaseNames(), phase) == phaseNames().end()) {
      return -1; // tells libFuzzer not to keep the input
    }
    text.remove_prefix(end);
  }
  check(text, phase);
  return 0;
}

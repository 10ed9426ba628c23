// Programs through the whole compiler: as text, or, with DRUMLIN_FUZZ_PLANS, as the text of a phase
// whose name is the first line, where compilation goes on. They become an image, or are refused
// with a reason; the process ends with a message where neither holds. No image is run: what it
// computes, the random programs hold to the interpreter (fuzz/programs).
#include "drumlin/driver/Compiler.h"
#include "drumlin/import/Import.h"
#include "drumlin/target/TargetNames.h"
#include "fuzz/Finding.h"

#include <algorithm>
#include <memory>

using namespace drumlin;

static constexpr bool arePlans = DRUMLIN_FUZZ_PLANS != 0;

// Little enough that each input takes little of a machine.
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
    fuzz::fail("a refusal without a reason", error.str());
  }
  if (error.code == DiagnosticCode::InternalError) {
    fuzz::fail("a fault of the compiler's", error.str());
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
      return -1; // isn't kept
    }
    text.remove_prefix(end);
  }
  check(text, phase);
  return 0;
}

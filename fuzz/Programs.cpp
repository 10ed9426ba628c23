#include "fuzz/Programs.h"

#include "drumlin/import/Import.h"
#include "fuzz/Finding.h"

#include <memory>

using namespace drumlin;
using fuzz::fail;
using namespace mlir;

// A context keeps every attribute and type that it has seen, so a new one takes over now and then.
// What is read again has one of its own, since names of resources are unique in one.
static MLIRContext &freshContext(std::unique_ptr<MLIRContext> &context, unsigned inputs) {
  constexpr unsigned inputsOfOneContext = 64;
  if (!context || inputs % inputsOfOneContext == 0) {
    DialectRegistry registry;
    registerDialects(registry);
    context.reset();
    context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  }
  return *context;
}

static std::string textOf(ModuleOp module) {
  Result<std::string> text = exportProgram(module, {ProgramFormat::Text, {}});
  if (!text) {
    fail("a program has no text", text.error().str());
  }
  return *text;
}

void fuzz::checkProgram(std::string_view bytes, ProgramFormat format, vhlo::Version version) {
  static std::unique_ptr<MLIRContext> first, second;
  static unsigned inputs = 0;
  MLIRContext &context = freshContext(first, ++inputs);
  ImportLimits limits;
  limits.bytes = size_t(64) << 20;
  limits.nativeTypesOnly = false;
  limits.convertedOnly = true;
  Result<OwningOpRef<ModuleOp>> module = importText(bytes, "input.mlir", context, limits);
  if (!module) {
    if (module.error().message.empty()) {
      fail("a refusal without a reason", module.error().str());
    }
    return;
  }
  std::string text = textOf(**module);
  Result<std::string> written = exportProgram(**module, {format, version});
  if (!written) {
    return; // what the format can't hold, which export says
  }
  Result<OwningOpRef<ModuleOp>> again =
      importText(*written, "written.mlir", freshContext(second, inputs), limits);
  if (!again) {
    fail("what was written isn't read", again.error().str() + "\n" + text);
  }
  // An artifact leaves nothing out, and what is so anyway is left out when one is read.
  // Resources are numbered as others of their context had the name before.
  std::string textAgain = textOf(**again);
  bool isComparable =
      format != ProgramFormat::Artifact && text.find("dense_resource") == std::string::npos;
  if (isComparable && textAgain != text) {
    fail("what was written reads as another program", text + "\nbecame\n" + textAgain);
  }
}

#include "fuzz/MutatedPrograms.h"

#include "drumlin/import/Import.h"
#include "fuzz/Finding.h"

#include <memory>

using namespace drumlin;
using fuzz::fail;
using namespace mlir;

// Returns a context. A context keeps every attribute and type that it has seen, so it is replaced
// after some inputs. The reread program needs a second context, as resource names are unique within
// a context.
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
    fail("the program can't be exported as text", text.error().str());
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
      fail("refused without a reason", module.error().str());
    }
    return;
  }
  std::string text = textOf(**module);
  Result<std::string> written = exportProgram(**module, {format, version});
  if (!written) {
    return; // the format can't represent the program
  }
  Result<OwningOpRef<ModuleOp>> again =
      importText(*written, "written.mlir", freshContext(second, inputs), limits);
  if (!again) {
    fail("the written program can't be read", again.error().str() + "\n" + text);
  }
  // Texts are not compared in two cases in which they may differ. Artifacts contain default
  // attributes, which reading drops. Resources are renumbered if their names are already taken in
  // the context.
  std::string textAgain = textOf(**again);
  bool isComparable =
      format != ProgramFormat::Artifact && text.find("dense_resource") == std::string::npos;
  if (isComparable && textAgain != text) {
    fail("reading the written program gives a different program", text + "\nbecame\n" + textAgain);
  }
}

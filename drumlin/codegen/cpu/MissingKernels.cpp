#include "drumlin/codegen/cpu/KernelEmitter.h"
namespace drumlin::codegen {
static KernelProperties missing(KernelFrame &frame, const char *what) {
  frame.emitter.fail(diagnose(DiagnosticCode::UnsupportedNative, std::string("no native code yet for ") + what));
  return {};
}
} // namespace drumlin::codegen

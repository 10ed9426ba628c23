#include "drumlin/codegen/cpu/KernelEmitter.h"
namespace drumlin::codegen {
static KernelProperties missing(KernelFrame &frame, const char *what) {
  frame.emitter.fail(diagnose(DiagnosticCode::UnsupportedNative, std::string("no native code yet for ") + what));
  return {};
}
__attribute__((weak)) KernelProperties emitGemmKernel(KernelFrame &frame) { return missing(frame, "gemm"); }
__attribute__((weak)) KernelProperties emitSortKernel(KernelFrame &frame) { return missing(frame, "sort"); }
__attribute__((weak)) KernelProperties emitScatterKernel(KernelFrame &frame) { return missing(frame, "scatter"); }
__attribute__((weak)) KernelProperties emitWindowKernel(KernelFrame &frame) { return missing(frame, "window"); }
} // namespace drumlin::codegen

// Compiles a placed program's distinct kernels in parallel. Each kernel is first looked up in the
// cache.
#pragma once

#include "drumlin/codegen/cpu/KernelProperties.h"
#include "drumlin/codegen/cpu/ObjectEmitter.h"
#include "drumlin/driver/Options.h"
#include "drumlin/target/CpuTarget.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

struct CompiledKernel {
  std::string name;   // the kernel's symbol
  std::string object; // an ELF object
  // The names of the embedded routines that the kernel calls.
  std::vector<std::string> routines;
  codegen::KernelProperties properties;
  bool fromCache = false;
  double milliseconds = 0;
};

// Compiles the kernels and returns them in the module's order, which doesn't depend on the number
// of threads. The calling thread uses `emitter`; each other thread creates its own emitter.
Result<std::vector<CompiledKernel>> compileKernels(mlir::ModuleOp module, const CpuTarget &target,
                                                   const CompileOptions &options,
                                                   codegen::ObjectEmitter &emitter);

// Returns the objects of all routines that the kernels call, each once, sorted by name.
std::vector<std::string> routineObjects(const std::vector<CompiledKernel> &kernels,
                                        const CpuTarget &target);

} // namespace drumlin

// Compiles the distinct kernels of a placed program, in parallel, with the cache before them.
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
  // What it calls of the embedded routines, by name.
  std::vector<std::string> routines;
  codegen::KernelProperties properties;
  bool fromCache = false;
  double milliseconds = 0;
};

// In the order of the kernels in the module, whatever the number of threads. `emitter`: of this
// thread; the others make their own.
Result<std::vector<CompiledKernel>> compileKernels(mlir::ModuleOp module, const CpuTarget &target,
                                                   const CompileOptions &options,
                                                   codegen::ObjectEmitter &emitter);

// The objects of the routines that the kernels call, each once, in the order of their names.
std::vector<std::string> routineObjects(const std::vector<CompiledKernel> &kernels,
                                        const CpuTarget &target);

} // namespace drumlin

// From an LLVM module to an ELF object: the math library is linked in, a short fixed pipeline of
// LLVM passes runs, code is generated. Each call uses its own target machine, so that calls with
// different LLVM contexts may run in parallel.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/CpuTarget.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

namespace drumlin::codegen {

// Registers LLVM's targets; cheap when called again, and safe from several threads.
void initializeCodegen();

// Kernels are optimized. An entry is long straight code that only stores pointers and calls: no
// pass makes it faster, and many take more than linear time on it.
enum class Effort { Kernel, Entry };

// Consumes the module's contents. Fails with InternalError where the module is not well formed.
// `optimized` sees the module after the passes, and may change it.
Result<llvm::SmallVector<char, 0>>
emitObject(llvm::Module &module, const CpuTarget &target, Effort effort = Effort::Kernel,
           llvm::function_ref<void(llvm::Module &)> optimized = nullptr);

// The module after the passes, as LLVM's text; for people who look at a kernel.
Result<std::string> emitLlvmText(llvm::Module &module, const CpuTarget &target);
// Its assembly.
Result<std::string> emitAssembly(llvm::Module &module, const CpuTarget &target);

} // namespace drumlin::codegen

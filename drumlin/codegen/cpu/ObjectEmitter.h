// From an LLVM module to an ELF object: the math library is linked in, a short fixed pipeline of
// LLVM passes runs, code is generated.
#pragma once

#include "drumlin/codegen/cpu/Effort.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/CpuTarget.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace drumlin::codegen {

// Compiles the modules of one thread. LLVM's description of the processor and its passes take
// 1 ms to make: an emitter takes those that another one of the process has left, or makes them, for
// its first module. What they compiled before changes no code.
class ObjectEmitter {
public:
  explicit ObjectEmitter(const CpuTarget &target);
  ~ObjectEmitter();
  ObjectEmitter(const ObjectEmitter &) = delete;
  ObjectEmitter &operator=(const ObjectEmitter &) = delete;

  // Consumes the module's contents. Fails with InternalError where the module is not well formed.
  // `optimized` sees the module after the passes, and may change it.
  Result<llvm::SmallVector<char, 0>>
  emit(llvm::Module &module, Effort effort = Effort::Full,
       llvm::function_ref<void(llvm::Module &)> optimized = nullptr);

private:
  struct Tools;

  Status prepare(llvm::Module &module, Effort effort);

  CpuTarget target;
  std::unique_ptr<Tools> tools; // null before the first module
};

} // namespace drumlin::codegen

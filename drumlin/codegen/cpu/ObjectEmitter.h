// Compiles an LLVM module to an ELF object: links the math library, runs a short fixed pipeline of
// LLVM passes, and generates code.
#pragma once

#include "drumlin/codegen/cpu/Effort.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/CpuTarget.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

#include <memory>

namespace drumlin::codegen {

// Compiles the modules of one thread. LLVM's target machine and passes take 1 ms to create. For its
// first module, an emitter reuses the target machine and passes of a destroyed emitter of the
// process, or creates them. Modules compiled earlier don't affect the code of later ones.
class ObjectEmitter {
public:
  explicit ObjectEmitter(const CpuTarget &target);
  ~ObjectEmitter();
  ObjectEmitter(const ObjectEmitter &) = delete;
  ObjectEmitter &operator=(const ObjectEmitter &) = delete;

  // Consumes the module's contents. Fails with InternalError if the module is malformed.
  // `optimized` sees the module after the passes and may change it.
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

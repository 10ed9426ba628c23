// From an LLVM module to an ELF object: the math library is linked in, a short fixed pipeline of
// LLVM passes runs, code is generated.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/CpuTarget.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

#include <array>

namespace llvm {
class TargetMachine;
}

namespace drumlin::codegen {

// Registers LLVM's targets; cheap when called again, and safe from several threads.
void initializeCodegen();

// How much work goes into a module's code. An entry is long straight code that only stores pointers
// and calls: no pass makes it faster, and many take more than linear time on it. The others are
// kernels (drumlin/ir/plan/CodeEffort.h).
enum class Effort { Full, Lean, Quick, Entry };
inline constexpr size_t efforts = 4;

// Compiles the modules of one thread. LLVM's description of the processor and its passes take
// 0.8 ms to make: they are made for the first module, and none are made where there are no modules.
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
  struct Writer;

  Status prepare(llvm::Module &module, Effort effort);

  CpuTarget target;
  std::unique_ptr<llvm::TargetMachine> machine;         // null before the first module
  std::array<std::unique_ptr<Writer>, efforts> writers; // null before the first of its effort
};

} // namespace drumlin::codegen

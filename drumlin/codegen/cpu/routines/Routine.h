// Functions that kernels call and that depend on no program, only on the target and a few
// parameters; everything else is passed as an argument. Our build compiles frequently needed
// routines once for all programs (RoutineLibrary.h); other routines are defined and inlined in a
// kernel's module.
#pragma once

#include "drumlin/codegen/cpu/routines/RoutineLibrary.h"
#include "llvm/IR/Module.h"

#include <string>

namespace drumlin::codegen {

class Routine {
public:
  virtual ~Routine() = default;

  // Returns a name that encodes all these parameters: `routine_multiply_fma_f32_12x2x16`.
  virtual std::string name(const CpuTarget &target) const = 0;

  // Returns the function for a module to call. It is declared in the module if the library has it,
  // else defined.
  llvm::Function *in(llvm::Module &module, const CpuTarget &target,
                     const RoutineLibrary &library) const;
  // Defines the routine with external linkage, for other modules to call.
  llvm::Function *exported(llvm::Module &module, const CpuTarget &target) const;

protected:
  // Returns the types of the function's parameters. The function returns void, and none of its
  // pointers alias.
  virtual llvm::SmallVector<llvm::Type *> parameters(llvm::LLVMContext &context) const = 0;
  virtual void emitBody(llvm::Function *function, const CpuTarget &target) const = 0;

private:
  llvm::Function *declare(llvm::Module &module, const CpuTarget &target) const;
};

} // namespace drumlin::codegen

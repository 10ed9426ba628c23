// Functions that kernels call and that depend on no program: on the target and on a few choices
// only, all else are arguments of them. Our build compiles those that kernels often need, once for
// all programs (RoutineLibrary.h); a kernel's module defines the others, and inlines them.
#pragma once

#include "drumlin/codegen/cpu/routines/RoutineLibrary.h"
#include "llvm/IR/Module.h"

#include <string>

namespace drumlin::codegen {

class Routine {
public:
  virtual ~Routine() = default;

  // Says all that it depends on: `routine_multiply_fma_f32_12x2x16`.
  virtual std::string name(const CpuTarget &target) const = 0;

  // For a module's calls: declared where the library has it, else defined.
  llvm::Function *in(llvm::Module &module, const CpuTarget &target,
                     const RoutineLibrary &library) const;
  // Defined for the calls of others.
  llvm::Function *exported(llvm::Module &module, const CpuTarget &target) const;

protected:
  // It returns nothing. No two of its pointers lead to the same memory.
  virtual llvm::SmallVector<llvm::Type *> parameters(llvm::LLVMContext &context) const = 0;
  virtual void emitBody(llvm::Function *function, const CpuTarget &target) const = 0;

private:
  llvm::Function *declare(llvm::Module &module, const CpuTarget &target) const;
};

} // namespace drumlin::codegen

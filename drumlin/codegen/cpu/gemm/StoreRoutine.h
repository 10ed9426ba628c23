// The epilogue of a GEMM that fuses no operation after the product: rounds and stores a tile's
// sums.
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmBuilder.h"
#include "drumlin/codegen/cpu/routines/Routine.h"

namespace drumlin::codegen {

class StoreRoutine : public Routine {
public:
  ElementType sums = ElementType::F32, memory = ElementType::F32; // types of sums and result

  struct Arguments {
    llvm::Value *sums, *sumStride; // row-major sums; each row is 16-byte aligned
    llvm::Value *to, *stride;      // the result and its row stride; each row is contiguous
    llvm::Value *rows, *columns;
  };
  void call(llvm::IRBuilder<> &builder, llvm::Function *function, const Arguments &arguments) const;

  std::string name(const CpuTarget &target) const override;

protected:
  llvm::SmallVector<llvm::Type *> parameters(llvm::LLVMContext &context) const override;
  void emitBody(llvm::Function *function, const CpuTarget &target) const override;
};

// Returns the routines that our build compiles: those for common types of GEMMs.
std::vector<StoreRoutine> sharedStores();

} // namespace drumlin::codegen

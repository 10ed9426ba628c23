// Gemv's multiplying part where both operands lie in memory as they are multiplied.
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmStream.h"
#include "drumlin/codegen/cpu/routines/Routine.h"

namespace drumlin::codegen {

class StreamRoutine : public Routine {
public:
  ElementType sums = ElementType::F32;
  ElementType memory = ElementType::F32; // of the operand that is read once
  int64_t rows = 1, width = lanes, sideBySide = 1;
  bool alongK = true; // k is contiguous in memory; else columns are
  bool prefetches = false;

  struct Arguments {
    llvm::Value *rows, *rowStride; // in the sums' type, k contiguous, in whole vectors
    llvm::Value *from, *stride;    // the first term, and the stride of what isn't contiguous
    llvm::Value *sums, *sumStride; // as GemmStream::Range has them, rows 64-byte aligned
    llvm::Value *columns, *k;      // at least as many columns as are side by side
    // how many
    llvm::Value *prefetched; // elements of k ahead that memory is asked for
  };
  void call(llvm::IRBuilder<> &builder, llvm::Function *function, const Arguments &arguments) const;

  std::string name(const CpuTarget &target) const override;

protected:
  llvm::SmallVector<llvm::Type *> parameters(llvm::LLVMContext &context) const override;
  void emitBody(llvm::Function *function, const CpuTarget &target) const override;
};

// Of the products of few rows that programs have, those that our build compiles.
std::vector<StreamRoutine> sharedStreams(const CpuTarget &target);

} // namespace drumlin::codegen

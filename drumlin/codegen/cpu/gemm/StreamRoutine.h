// The multiplication step of a GEMV that multiplies the elements of both operands without further
// computation.
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmStream.h"
#include "drumlin/codegen/cpu/routines/Routine.h"

namespace drumlin::codegen {

class StreamRoutine : public Routine {
public:
  ElementType sums = ElementType::F32;
  ElementType memory = ElementType::F32; // type of the large operand, which is read once
  int64_t rows = 1, width = lanes, sideBySide = 1;
  bool alongK = true; // k is contiguous in memory; else the columns are
  bool prefetches = false;

  struct Arguments {
    llvm::Value *rows, *rowStride; // elements of the sums' type; k fills full vectors
    llvm::Value *from, *stride;    // large operand; stride of its non-contiguous dimension
    llvm::Value *sums, *sumStride; // sums as in GemmStream::Range, rows 64-byte aligned
    llvm::Value *columns, *k;      // `columns` is at least `sideBySide`
    llvm::Value *prefetched;       // prefetch distance in k elements
  };
  void call(llvm::IRBuilder<> &builder, llvm::Function *function, const Arguments &arguments) const;

  std::string name(const CpuTarget &target) const override;

protected:
  llvm::SmallVector<llvm::Type *> parameters(llvm::LLVMContext &context) const override;
  void emitBody(llvm::Function *function, const CpuTarget &target) const override;
};

// Returns the routines that our build compiles: those for common GEMMs of few rows.
std::vector<StreamRoutine> sharedStreams(const CpuTarget &target);

} // namespace drumlin::codegen

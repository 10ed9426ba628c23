// Packing of an operand that lies in memory as it is multiplied: all rows or all columns of one
// tile and one block of k.
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmPacking.h"
#include "drumlin/codegen/cpu/routines/Routine.h"

namespace drumlin::codegen {

class PackRoutine : public Routine {
public:
  PackedElement element;
  ElementType memory = ElementType::F32; // of the operand
  bool isWithoutSign = false;            // of terms of 8 bits
  bool packsRows = true;                 // else columns
  bool alongK = true;                    // k is contiguous in memory; else rows, or columns, are
  bool prefetches = false;

  struct Arguments {
    llvm::Value *from;                  // the first term of the tile and the block
    llvm::Value *stride;                // of what isn't contiguous, in elements of memory
    llvm::Value *packed, *packedStride; // of rows, or of panels; in packed elements
    llvm::Value *block;                 // memory for 16 × 16 packed elements
    llvm::Value *free, *terms;          // how many rows or columns, and terms of k
    llvm::Value *prefetched;            // how far ahead memory is asked for
  };
  void call(llvm::IRBuilder<> &builder, llvm::Function *function, const Arguments &arguments) const;

  std::string name(const CpuTarget &target) const override;

protected:
  llvm::SmallVector<llvm::Type *> parameters(llvm::LLVMContext &context) const override;
  void emitBody(llvm::Function *function, const CpuTarget &target) const override;
};

// Of the operands of the target's units, those that our build compiles.
std::vector<PackRoutine> sharedPackings(const CpuTarget &target);

} // namespace drumlin::codegen

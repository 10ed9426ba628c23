// Packs all rows or all columns of one tile and one block of k, for an operand whose elements in
// memory are multiplied without further computation.
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmPacking.h"
#include "drumlin/codegen/cpu/routines/Routine.h"

namespace drumlin::codegen {

class PackRoutine : public Routine {
public:
  PackedElement element;
  ElementType memory = ElementType::F32; // the operand's type in memory
  bool isWithoutSign = false;            // for 8-bit elements: whether they are unsigned
  bool packsRows = true;                 // whether rows are packed; else columns
  bool alongK = true;                    // k is contiguous in memory; else the rows or columns are
  bool prefetches = false;

  struct Arguments {
    llvm::Value *from;                  // address of the tile's first element in the block of k
    llvm::Value *stride;                // stride of the non-contiguous dimension, in elements
    llvm::Value *packed, *packedStride; // stride of rows or panels, in k-groups
    llvm::Value *block;                 // memory in which 16 × 16 k-groups are transposed
    llvm::Value *free, *terms;          // number of rows or columns; number of k elements
    llvm::Value *prefetched;            // prefetch distance
  };
  void call(llvm::IRBuilder<> &builder, llvm::Function *function, const Arguments &arguments) const;

  std::string name(const CpuTarget &target) const override;

protected:
  llvm::SmallVector<llvm::Type *> parameters(llvm::LLVMContext &context) const override;
  void emitBody(llvm::Function *function, const CpuTarget &target) const override;
};

// Returns the routines that our build compiles: those for operands of the target's units.
std::vector<PackRoutine> sharedPackings(const CpuTarget &target);

} // namespace drumlin::codegen

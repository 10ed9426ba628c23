// The multiplying part of the packed algorithm: all micro-kernels of one tile and one block of k.
#pragma once

#include "drumlin/codegen/cpu/routines/Routine.h"
#include "drumlin/target/MicroKernel.h"
#include "llvm/IR/IRBuilder.h"

#include <vector>

namespace drumlin::codegen {

class MultiplyRoutine : public Routine {
public:
  ComputeUnit unit{}; // fma; not a tile unit
  ElementType sums = ElementType::F32;
  // Rows and registers of sums that the micro-kernel keeps; `rows` is even for units that multiply
  // pairs.
  int64_t rows = 0, vectors = 0;
  // For integers of 8 bits: the columns' elements are unsigned.
  bool columnsWithoutSign = false;
  // The rows' elements are offset by 128, so 128 × the sum of a column is subtracted from the
  // column's sums. The signedness of the columns determines the direction of the offset.
  bool movesRows = false;
  // The columns are row-major, with `unitStride` from one k element to the next; the registers of
  // one k element follow each other.
  bool inPlace = false;
  // Prefetches panels.
  bool prefetches = false;

  // Arguments of a call. Strides are in elements: of the sums, or of 32 bits if a unit multiplies
  // k-groups of several k elements.
  struct Arguments {
    llvm::Value *rows, *rowStride;       // packed row-major
    llvm::Value *panels, *panelStride;   // packed columns, panels of one register each
    llvm::Value *panelsBehind;           // number of the last panel that may be read
    llvm::Value *sums, *sumStride;       // row-major, in full micro-kernels
    llvm::Value *columnSums;             // memory for a row of sums; null unless `movesRows`
    llvm::Value *tileRows, *tileColumns; // size of the tile
    llvm::Value *units;                  // k-groups
    llvm::Value *isFirst;                // i1: the sums start from zero
    llvm::Value *unitStride;             // of in-place columns
    llvm::Value *prefetched;             // prefetch distance of panels, in k-groups
  };
  void call(llvm::IRBuilder<> &builder, llvm::Function *function, const Arguments &arguments) const;

  std::string name(const CpuTarget &target) const override;
  // Returns the micro-kernel of its main loop, which takes one k-group per step.
  MicroKernel microKernel(const CpuTarget &target) const;

protected:
  llvm::SmallVector<llvm::Type *> parameters(llvm::LLVMContext &context) const override;
  void emitBody(llvm::Function *function, const CpuTarget &target) const override;
};

// Returns the routines for micro-kernels of the target's schedules that our build compiles.
std::vector<MultiplyRoutine> sharedMultiplies(const CpuTarget &target);

} // namespace drumlin::codegen

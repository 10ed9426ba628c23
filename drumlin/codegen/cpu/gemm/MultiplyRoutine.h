// The part of the packed algorithm that multiplies: all micro-kernels of one tile and one block of
// k.
#pragma once

#include "drumlin/codegen/cpu/routines/Routine.h"
#include "drumlin/target/MicroKernel.h"
#include "llvm/IR/IRBuilder.h"

#include <vector>

namespace drumlin::codegen {

class MultiplyRoutine : public Routine {
public:
  ComputeUnit unit = ComputeUnit::fma; // none of tiles
  ElementType sums = ElementType::F32;
  // Registers of sums that the micro-kernel keeps; of a unit that multiplies pairs the rows are
  // even.
  int64_t rows = 0, vectors = 0;
  // Of integers of 8 bits: the columns' terms have no sign.
  bool columnsWithoutSign = false;
  // The rows' terms are moved by 128: 128 times a column's sum is taken off its sums. Which way
  // they are moved follows from how the columns are read.
  bool movesRows = false;
  // The columns lie in rows, `unitStride` from one element of k to the next; of panels the
  // registers of one element follow each other.
  bool inPlace = false;
  // Asks for panels ahead of their use.
  bool prefetches = false;

  // What a call says. Strides in elements: of the sums, or of 32 bits where a unit takes several
  // terms at once.
  struct Arguments {
    llvm::Value *rows, *rowStride;       // packed row-major
    llvm::Value *panels, *panelStride;   // packed columns, panels of one register each
    llvm::Value *panelsBehind;           // the last panel's number: none behind it is read
    llvm::Value *sums, *sumStride;       // row-major, in whole micro-kernels
    llvm::Value *columnSums;             // memory for a row of sums; null where no rows are moved
    llvm::Value *tileRows, *tileColumns; // of the tile
    llvm::Value *units;                  // elements of k
    llvm::Value *isFirst;                // i1: the sums begin with zero
    llvm::Value *unitStride;             // of columns in place
    llvm::Value *prefetched;             // how many elements of k ahead panels are asked for
  };
  void call(llvm::IRBuilder<> &builder, llvm::Function *function, const Arguments &arguments) const;

  std::string name(const CpuTarget &target) const override;
  // Its main loop, which takes one step of k at a time.
  MicroKernel microKernel(const CpuTarget &target) const;

protected:
  llvm::SmallVector<llvm::Type *> parameters(llvm::LLVMContext &context) const override;
  void emitBody(llvm::Function *function, const CpuTarget &target) const override;
};

// Of the micro-kernels of the target's schedules, those that our build compiles.
std::vector<MultiplyRoutine> sharedMultiplies(const CpuTarget &target);

} // namespace drumlin::codegen

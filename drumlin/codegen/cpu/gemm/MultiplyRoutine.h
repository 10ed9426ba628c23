// The multiplication step of the packed algorithm: all micro-kernels of one tile and one block of
// k.
#pragma once

#include "drumlin/codegen/cpu/routines/Routine.h"
#include "drumlin/target/MicroKernel.h"
#include "llvm/IR/IRBuilder.h"

#include <vector>

namespace drumlin::codegen {

class MultiplyRoutine : public Routine {
public:
  ComputeUnit unit{}; // never a tile unit; the default is `fma`
  ElementType sums = ElementType::F32;
  // The micro-kernel keeps `rows` × `vectors` registers of sums. `rows` is even for units that
  // multiply pairs.
  int64_t rows = 0, vectors = 0;
  // For 8-bit integers: whether the columns' elements are unsigned.
  bool columnsWithoutSign = false;
  // Whether the rows' elements are offset by 128. The routine corrects the sums of each column by
  // 128 × the sum of the column's elements. The signedness of the columns determines the direction
  // of the offset.
  bool movesRows = false;
  // Whether the columns are read in place instead of packed. They are row-major: `unitStride` is
  // the stride of k elements, and the registers of one k element are adjacent.
  bool inPlace = false;
  // Whether the routine prefetches panels.
  bool prefetches = false;

  // Arguments of a call. Strides are in elements of the sums' type, or in 32-bit elements if the
  // unit multiplies k-groups of several k elements.
  struct Arguments {
    llvm::Value *rows, *rowStride;       // packed row-major
    llvm::Value *panels, *panelStride;   // packed columns, panels of one register each
    llvm::Value *panelsBehind;           // index of the last panel that may be read
    llvm::Value *sums, *sumStride;       // the tile's sums, row-major, padded to full micro-kernels
    llvm::Value *columnSums;             // memory for a row of sums; null unless `movesRows`
    llvm::Value *tileRows, *tileColumns; // size of the tile
    llvm::Value *units;                  // number of k-groups
    llvm::Value *isFirst;                // i1: whether the sums start from zero
    llvm::Value *unitStride;             // stride of k for `inPlace` columns
    llvm::Value *prefetched;             // prefetch distance of panels, in k-groups
  };
  void call(llvm::IRBuilder<> &builder, llvm::Function *function, const Arguments &arguments) const;

  std::string name(const CpuTarget &target) const override;
  // Returns the micro-kernel of the routine's main loop, which processes one k-group per step.
  MicroKernel microKernel(const CpuTarget &target) const;

protected:
  llvm::SmallVector<llvm::Type *> parameters(llvm::LLVMContext &context) const override;
  void emitBody(llvm::Function *function, const CpuTarget &target) const override;
};

// Returns the routines that our build compiles: those for the micro-kernels of the target's
// schedules.
std::vector<MultiplyRoutine> sharedMultiplies(const CpuTarget &target);

} // namespace drumlin::codegen

// The two parts of triangular kernels that compute: elimination of rows of a panel, and the
// factorization of a block. What a panel is, is said in drumlin/ir/plan/heroes/TriangularProblem.h.
//
// Rows are taken in groups of as many as registers have room for. A group's sums stay in registers
// while the products with all rows that were eliminated before are taken off them; then its own
// rows are eliminated there, one by one.
#pragma once

#include "drumlin/codegen/cpu/routines/Routine.h"
#include "drumlin/support/ElementType.h"
#include "llvm/IR/IRBuilder.h"

#include <vector>

namespace drumlin::codegen {

// What rows are divided by. A factor's diagonal is real. Those of one number have its inverse
// alone; else there is a power of two behind it, which keeps the inverse inside the range of
// normal numbers: it is taken of the element times that power.
enum class Diagonal : uint8_t { Real, General, Unit };

// How panels lie in memory, and how many rows and lanes a group has on a target.
struct PanelShape {
  ElementType part = ElementType::F32; // F32 or F64
  bool isComplex = false;

  int64_t parts() const { return isComplex ? 2 : 1; }
  int64_t lanes() const { return part == ElementType::F64 ? 16 : 32; }
  int64_t rowElements() const { return parts() * lanes(); }
  int64_t groupRows(const CpuTarget &target) const;
  // Of one register, and of a group.
  int64_t registerLanes(const CpuTarget &target) const;
  int64_t groupLanes(const CpuTarget &target) const;
  // Numbers that are kept for each row of the diagonal.
  int64_t inverseElements(Diagonal diagonal) const {
    return diagonal == Diagonal::Real ? 1 : parts() + 1;
  }
  std::string name(const CpuTarget &target) const;
};

// Takes products with rows of `coefficients` off rows of one panel. A coefficient of row j and
// eliminated row k is the conjugate of what `coefficients` has in row k at column j.
class EliminateRoutine : public Routine {
public:
  PanelShape shape;
  Diagonal diagonal = Diagonal::General;
  bool backward = false; // from the last row to the first

  struct Arguments {
    llvm::Value *coefficients, *coefficientStride; // panels; from panel to panel, in elements
    llvm::Value *inverses;                         // of the diagonal's elements
    llvm::Value *panel;
    llvm::Value *blockBegin, *blockEnd;   // the rows whose products are taken off
    llvm::Value *solveBegin, *solveEnd;   // rows of the block that are eliminated
    llvm::Value *updateBegin, *updateEnd; // rows outside of the block
  };
  void call(llvm::IRBuilder<> &builder, llvm::Function *function, const Arguments &arguments) const;

  std::string name(const CpuTarget &target) const override;

protected:
  llvm::SmallVector<llvm::Type *> parameters(llvm::LLVMContext &context) const override;
  void emitBody(llvm::Function *function, const CpuTarget &target) const override;
};

// Factorizes the rows of a block in the panels of its own columns, and keeps their inverses.
class FactorRoutine : public Routine {
public:
  PanelShape shape;

  struct Arguments {
    llvm::Value *panels, *panelStride;
    llvm::Value *inverses;
    llvm::Value *failed; // an i64: becomes 1 where a pivot isn't positive
    llvm::Value *blockBegin, *blockEnd;
  };
  void call(llvm::IRBuilder<> &builder, llvm::Function *function, const Arguments &arguments) const;

  std::string name(const CpuTarget &target) const override;

protected:
  llvm::SmallVector<llvm::Type *> parameters(llvm::LLVMContext &context) const override;
  void emitBody(llvm::Function *function, const CpuTarget &target) const override;
};

// Those that our build compiles.
std::vector<EliminateRoutine> sharedEliminations();
std::vector<FactorRoutine> sharedFactorizations();

} // namespace drumlin::codegen

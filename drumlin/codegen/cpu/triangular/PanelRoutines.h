// The computation of triangular kernels: elimination of a panel's rows, and factorization of a
// block. drumlin/ir/plan/heroes/TriangularProblem.h defines panels.
//
// Rows are processed in groups that fit into the registers. The products of all previously
// eliminated rows with their coefficients are subtracted from the group in registers. Then the
// group's own rows are eliminated in registers, one by one.
#pragma once

#include "drumlin/codegen/cpu/routines/Routine.h"
#include "drumlin/support/ElementType.h"
#include "llvm/IR/IRBuilder.h"

#include <vector>

namespace drumlin::codegen {

// The kind of the diagonal elements by which elimination divides rows. It determines what is stored
// for each of these elements. Real (the diagonal of a factor): the inverse of the element. General:
// the inverse of the product of the element and a power of two, then this power, which is chosen
// such that the inverse is a normal number. Unit: nothing, since rows aren't divided.
enum class Diagonal : uint8_t { Real, General, Unit };

// The memory layout of panels, and how many rows and lanes a group has on a target.
struct PanelShape {
  ElementType part = ElementType::F32; // F32 or F64
  bool isComplex = false;

  int64_t parts() const { return isComplex ? 2 : 1; }
  int64_t lanes() const { return part == ElementType::F64 ? 16 : 32; }
  int64_t rowElements() const { return parts() * lanes(); }
  int64_t groupRows(const CpuTarget &target) const;
  // Return the number of lanes in one register and in one group.
  int64_t registerLanes(const CpuTarget &target) const;
  int64_t groupLanes(const CpuTarget &target) const;
  // Returns how many numbers are stored for each element of the diagonal.
  int64_t inverseElements(Diagonal diagonal) const {
    return diagonal == Diagonal::Real ? 1 : parts() + 1;
  }
  std::string name(const CpuTarget &target) const;
};

// Subtracts multiples of eliminated rows from the rows of one panel. The coefficient of row j for
// eliminated row k is the conjugate of the element of `coefficients` in row k, column j.
class EliminateRoutine : public Routine {
public:
  PanelShape shape;
  Diagonal diagonal = Diagonal::General;
  bool backward = false; // whether rows are eliminated from the last to the first

  struct Arguments {
    llvm::Value *coefficients, *coefficientStride; // panels; stride of panels, in elements
    llvm::Value *inverses;                         // inverses of the diagonal's elements
    llvm::Value *panel;
    llvm::Value *blockBegin, *blockEnd;   // eliminated rows, whose multiples are subtracted
    llvm::Value *solveBegin, *solveEnd;   // rows of the block that are eliminated
    llvm::Value *updateBegin, *updateEnd; // rows outside of the block
  };
  void call(llvm::IRBuilder<> &builder, llvm::Function *function, const Arguments &arguments) const;

  std::string name(const CpuTarget &target) const override;

protected:
  llvm::SmallVector<llvm::Type *> parameters(llvm::LLVMContext &context) const override;
  void emitBody(llvm::Function *function, const CpuTarget &target) const override;
};

// Factorizes the rows of a block, in the panels of the block's own columns, and stores the inverses
// of the diagonal elements.
class FactorRoutine : public Routine {
public:
  PanelShape shape;

  struct Arguments {
    llvm::Value *panels, *panelStride;
    llvm::Value *inverses;
    llvm::Value *failed; // an i64, set to 1 if a pivot isn't positive
    llvm::Value *blockBegin, *blockEnd;
  };
  void call(llvm::IRBuilder<> &builder, llvm::Function *function, const Arguments &arguments) const;

  std::string name(const CpuTarget &target) const override;

protected:
  llvm::SmallVector<llvm::Type *> parameters(llvm::LLVMContext &context) const override;
  void emitBody(llvm::Function *function, const CpuTarget &target) const override;
};

// Return the routines that our build compiles.
std::vector<EliminateRoutine> sharedEliminations();
std::vector<FactorRoutine> sharedFactorizations();

} // namespace drumlin::codegen

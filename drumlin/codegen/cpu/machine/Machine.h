// The parts of code generation that depend on the CPU's architecture. Each architecture is
// implemented in the folder with its name.
#pragma once

#include "drumlin/codegen/cpu/Effort.h"
#include "drumlin/target/ComputeUnits.h"
#include "drumlin/target/CpuTarget.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace drumlin::codegen {

class ElementEmitter;
struct TileBlock;

// One multiply-accumulate step of a compute unit that multiplies k-groups of several k elements.
struct UnitStep {
  ComputeUnit unit = ComputeUnit::bf16_pairs; // any unit except `fma` and tile units
  // Vectors of i32, each element of which holds one k-group of the unit. For units that multiply
  // pairs, two k-groups of one row (or column) are followed by two k-groups of the next.
  llvm::Value *rows = nullptr, *columns = nullptr;
  llvm::Value *sum = nullptr;      // the accumulator; row-major for units that multiply pairs
  bool columnsWithoutSign = false; // for integers; whether rows are signed depends on the unit
};

class Machine {
public:
  virtual ~Machine() = default;
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;

  // Returns LLVM's target triple, such as `x86_64-unknown-linux-gnu`.
  virtual const char *triple() const = 0;
  // Returns LLVM's name of the base CPU, to which a target's features are added.
  virtual const char *baseCpu() const = 0;
  // Registers the architecture in LLVM. Repeated calls are cheap, and calls are thread-safe.
  virtual void registerInLlvm() const = 0;
  // Sets attributes that say which registers a function may use, if the target's features alone
  // don't determine that.
  virtual void setRegisters(llvm::Function &, const CpuTarget &) const {}

  // Returns a lower effort than requested if LLVM would miscompile the module at that effort.
  virtual Effort possibleEffort(const llvm::Module &, Effort asked) const { return asked; }
  // Rewrites constructs of an optimized module that LLVM's code generator would miscompile.
  virtual void hideFromSelection(llvm::Module &, const CpuTarget &) const {}

  // Returns the accumulator after the step. The target must have the unit.
  virtual llvm::Value *multiplyAdd(llvm::IRBuilder<> &builder, const UnitStep &step) const = 0;
  // Emits the multiplication of a block by a tile unit (GemmTiles.h).
  virtual void multiplyTiles(ElementEmitter &emitter, llvm::Module &module,
                             const TileBlock &block) const = 0;

protected:
  Machine() = default;
};

} // namespace drumlin::codegen

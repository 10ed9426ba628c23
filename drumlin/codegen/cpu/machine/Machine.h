// The parts of code generation that depend on the CPU's architecture. An implementation lies in a
// folder of the architecture's name.
#pragma once

#include "drumlin/codegen/cpu/Effort.h"
#include "drumlin/target/CpuTarget.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace drumlin::codegen {

class ElementEmitter;
struct TileBlock;

// One step of a unit that multiplies several neighbouring elements of k at once.
struct UnitStep {
  ComputeUnit unit = ComputeUnit::bf16_pairs; // neither the plain one nor one of tiles
  // Vectors of i32, each of which holds the unit's kGroup elements of k; of a unit that multiplies
  // pairs, two groups of a row, or column, before two of the next.
  llvm::Value *rows = nullptr, *columns = nullptr;
  llvm::Value *sum = nullptr;      // that their products are added to; of pairs, by rows
  bool columnsWithoutSign = false; // of integers; the unit says whether rows then have one
};

class Machine {
public:
  virtual ~Machine() = default;
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;

  // As LLVM names it: `x86_64-unknown-linux-gnu`.
  virtual const char *triple() const = 0;
  // LLVM's CPU that a target's features are added to.
  virtual const char *baseCpu() const = 0;
  // Makes LLVM know the architecture; cheap when called again, and safe from several threads.
  virtual void registerInLlvm() const = 0;
  // Says which registers a function may use, where its features don't.
  virtual void setRegisters(llvm::Function &, const CpuTarget &) const {}

  // Less than was asked for, where LLVM would make wrong code of the module.
  virtual Effort possibleEffort(const llvm::Module &, Effort asked) const { return asked; }
  // Hides from LLVM's code generator what it would make wrong code of, in an optimized module.
  virtual void hideFromSelection(llvm::Module &, const CpuTarget &) const {}

  // The sums after the step, of a target that has the unit.
  virtual llvm::Value *multiplyAdd(llvm::IRBuilder<> &builder, const UnitStep &step) const = 0;
  // The same for units of tiles (GemmTiles.h).
  virtual void multiplyTiles(ElementEmitter &emitter, llvm::Module &module,
                             const TileBlock &block) const = 0;

protected:
  Machine() = default;
};

} // namespace drumlin::codegen

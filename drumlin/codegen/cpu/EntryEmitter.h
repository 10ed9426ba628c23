// Emits the entry of an image (drumlin/runtime/Abi.h, DrumlinEntry): native code that launches the
// kernels of the placed program and runs the program's loops. Also emits the image's description.
#pragma once

#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/Diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

namespace drumlin::plan {
class KernelOp;
}

namespace drumlin::codegen {

// Returns the symbol of a kernel's function in its object.
std::string kernelFunctionName(plan::KernelOp kernel);

// Which memory the entry's own code accesses. `Buffers`: the entry calls single-tile kernels,
// copies values, and loads the predicates of loops and branches. `Nothing`: the entry accesses no
// buffer. Instead, it calls the runtime to launch, copy and load, so that the runtime can time each
// launch.
enum class EntryReach { Buffers, Nothing };

// Offsets in the arena. After the planned buffers come the partial results of kernels, then the
// buffers of symbolic size (slots). Partial results whose number depends on symbolic sizes follow
// the slots.
struct ArenaPlan {
  int64_t partialsAt = 0;
  int64_t slotsAt = 0;
};

// Emits the entry. `properties` is keyed by kernel symbol name. Fails if the entry can't run an
// operation.
Status emitEntry(mlir::func::FuncOp main, const llvm::StringMap<KernelProperties> &properties,
                 const ArenaPlan &arena, llvm::Module &module, const CpuTarget &target,
                 EntryReach reach = EntryReach::Buffers);

// Emits the exported `drumlin_image` that refers to emitEntry()'s function, with the table of the
// program's kernels and the section that holds `metadata`.
void emitImageSymbol(mlir::ModuleOp program, const llvm::StringMap<KernelProperties> &properties,
                     llvm::ArrayRef<uint8_t> metadata, llvm::Module &module);

} // namespace drumlin::codegen

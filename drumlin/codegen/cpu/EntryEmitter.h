// The entry of an image: the placed program as straight native code that launches kernels, loops
// included (drumlin/runtime/Abi.h, DrumlinEntry), with the image's description beside it.
#pragma once

#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/support/Diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"

namespace drumlin::codegen {

// The symbol of a kernel's function in its object.
std::string kernelFunctionName(plan::KernelOp kernel);

// Which memory an entry accesses itself. `Buffers`: that of buffers, too; it calls kernels of one
// tile, copies values and loads the flags of loops and branches. `Nothing`: none of a buffer; it
// asks the runtime for each of these, which can then time each launch.
enum class EntryReach { Buffers, Nothing };

// Where in the arena partial results lie, behind what is planned, and behind these the slots.
// Partial results whose number depends on sizes lie behind the slots.
struct ArenaPlan {
  int64_t partialsAt = 0;
  int64_t slotsAt = 0;
};

// `properties` by kernel symbol name. Fails for an operation that the entry can't run.
Status emitEntry(mlir::func::FuncOp main, const llvm::StringMap<KernelProperties> &properties,
                 const ArenaPlan &arena, llvm::Module &module, const CpuTarget &target,
                 EntryReach reach = EntryReach::Buffers);

// The exported `drumlin_image` behind emitEntry(), with the table of the program's kernels and the
// section that holds `metadata`.
void emitImageSymbol(mlir::ModuleOp program, const llvm::StringMap<KernelProperties> &properties,
                     llvm::ArrayRef<uint8_t> metadata, llvm::Module &module);

} // namespace drumlin::codegen

// Loads of lanes that read elements near each other: every second one of a slice, each one of an
// interior padding twice, a reversed row. The span from the first to the last element is loaded and
// permuted with a few instructions; loading each lane's element takes one instruction per lane.
#pragma once

#include "drumlin/ir/indexing/LaneForm.h"
#include "drumlin/target/CpuTarget.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace drumlin::codegen {

struct SpanLoad {
  llvm::Type *element = nullptr;
  llvm::Value *base = nullptr; // the address of the form's base
  LaneForm form;
  unsigned width = 0;          // lanes
  llvm::Value *mask = nullptr; // lanes that are read, others are undefined; null: all
  llvm::function_ref<void(llvm::Instruction *)> made; // gets each load

  // Emits the load; returns null if loading each lane's element separately is better.
  llvm::Value *emit(llvm::IRBuilder<> &b, const CpuTarget &target) const;
};

} // namespace drumlin::codegen

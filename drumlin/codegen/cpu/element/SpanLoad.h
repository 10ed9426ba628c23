// Loads of lanes that read elements near each other: every second one of a slice, each of an
// interior padding's twice, a row from its end. What lies between the first and the last is loaded
// and permuted, which takes a few instructions, where reading each lane's element takes one a lane.
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
  llvm::Value *mask = nullptr; // those that are read, others are any number; null: all
  llvm::function_ref<void(llvm::Instruction *)> made; // gets each load

  // Null where reading each lane's element is better.
  llvm::Value *emit(llvm::IRBuilder<> &b, const CpuTarget &target) const;
};

} // namespace drumlin::codegen

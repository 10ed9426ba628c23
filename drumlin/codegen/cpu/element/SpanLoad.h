// Loads of lanes whose elements are near each other: every second element (a strided slice), each
// element twice (interior padding), or a row in reverse. The span from the first to the last
// element is loaded and permuted with a few instructions. Loading each lane's element takes one
// instruction per lane.
#pragma once

#include "drumlin/ir/indexing/LaneForm.h"
#include "drumlin/target/CpuTarget.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace drumlin::codegen {

struct SpanLoad {
  llvm::Type *element = nullptr;
  llvm::Value *base = nullptr; // address of the element at `LaneIndex::base`
  LaneForm form;
  unsigned width = 0;          // number of lanes
  llvm::Value *mask = nullptr; // lanes to read, other lanes are undefined; null: all
  llvm::function_ref<void(llvm::Instruction *)> made; // called with each emitted load

  // Emits the load; returns null if loading each lane's element separately is better.
  llvm::Value *emit(llvm::IRBuilder<> &b, const CpuTarget &target) const;
};

} // namespace drumlin::codegen

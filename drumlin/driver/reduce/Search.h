// The state of a reduction: the smallest interesting program so far, and one try after the other.
#pragma once

#include "drumlin/driver/reduce/ReduceOptions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseSet.h"

#include <array>

namespace drumlin::reduce {

// What a smaller program has less of, the most important first: calls; operations beside constants;
// constants; results; arguments; what constants hold; elements and dimensions of values; element
// types beside f32, i32 and i1; attributes and their numbers; text. Each kept change makes it
// smaller, so a reduction ends.
using Size = std::array<int64_t, 10>;

// Changes a copy of the best program; false where it can't be made, and nothing is tried.
using Change = llvm::function_ref<bool(mlir::ModuleOp)>;

class Search {
public:
  // `program` gets to be changed. Numbers the arguments of the entry.
  Search(mlir::OwningOpRef<mlir::ModuleOp> program, const ReduceOptions &options,
         IsInteresting isInteresting, ReduceReport &report);

  // Whether the program shows the fault at all; to be asked before anything else.
  bool begin();

  mlir::ModuleOp best() const { return *program; }
  mlir::func::FuncOp entry() const;
  // Keeps the changed program if it is smaller, valid and interesting.
  bool attempt(const char *step, Change change);
  bool isOver();
  int64_t kept() const { return successes; }
  mlir::OwningOpRef<mlir::ModuleOp> take() { return std::move(program); }

private:
  bool ask(mlir::ModuleOp candidate);

  mlir::OwningOpRef<mlir::ModuleOp> program;
  const ReduceOptions &options;
  IsInteresting isInteresting;
  ReduceReport &report;
  Size size{};
  llvm::DenseSet<uint64_t> tried; // hashes of programs' texts
  int64_t successes = 0;
  bool dropsDead = true; // operations without use go at once, unless the fault is about those
};

// Tries chunks [begin, end) of what `count` counts, from the largest and the last to the smallest
// and the first.
void forEachChunk(Search &search, llvm::function_ref<size_t()> count,
                  llvm::function_ref<void(size_t, size_t)> tryChunk);

} // namespace drumlin::reduce

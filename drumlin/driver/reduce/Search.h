// The state of a reduction: the smallest interesting program so far; makes one try after another.
#pragma once

#include "drumlin/driver/reduce/ReduceOptions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseSet.h"

#include <array>

namespace drumlin::reduce {

// The quantities that are minimized, the most important first: calls; operations except constants;
// constants; results; arguments; the content of constants; elements and dimensions of values;
// element types other than f32, i32 and i1; attributes and their numbers; text. Each kept change
// reduces the Size (in lexicographic order), so a reduction ends.
using Size = std::array<int64_t, 10>;

// Changes a copy of the best program; returns false if it can't, and the copy isn't tried.
using Change = llvm::function_ref<bool(mlir::ModuleOp)>;

class Search {
public:
  // The search changes `program`, and numbers the entry's arguments.
  Search(mlir::OwningOpRef<mlir::ModuleOp> program, const ReduceOptions &options,
         IsInteresting isInteresting, ReduceReport &report);

  // Returns whether the program shows the fault at all; must be called first.
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
  llvm::DenseSet<uint64_t> tried; // hashes of the texts of tried programs
  int64_t successes = 0;
  bool dropsDead = true; // drop unused operations at once, unless that hides the fault
};

// Tries chunks [begin, end) of `count()` items: large chunks before small ones, the last items
// first.
void forEachChunk(Search &search, llvm::function_ref<size_t()> count,
                  llvm::function_ref<void(size_t, size_t)> tryChunk);

} // namespace drumlin::reduce

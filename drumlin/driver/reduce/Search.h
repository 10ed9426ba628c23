// The state of a reduction: keeps the smallest interesting program so far and tries changes of it,
// one after another.
#pragma once

#include "drumlin/driver/reduce/ReduceOptions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseSet.h"

#include <array>

namespace drumlin::reduce {

// The size of a program: the quantities to minimize, the most important first. These are calls;
// operations except constants; constants; results; arguments; the content of constants; elements
// and dimensions of values; element types other than f32, i32 and i1; attributes and the numbers in
// them; text. Each kept change makes the Size smaller in lexicographic order, so a reduction ends.
using Size = std::array<int64_t, 10>;

// A function that changes a copy of the best program. Returns false if it can't change the copy;
// the copy is then not tried.
using Change = llvm::function_ref<bool(mlir::ModuleOp)>;

class Search {
public:
  // Begins with `program` as the best program, and numbers the arguments of the program's entry.
  Search(mlir::OwningOpRef<mlir::ModuleOp> program, const ReduceOptions &options,
         IsInteresting isInteresting, ReduceReport &report);

  // Returns whether the original program shows the fault; must be called first.
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
  // Whether a candidate's unused operations are dropped; false if dropping them hides the fault.
  bool dropsDead = true;
};

// Calls `tryChunk` with chunks [begin, end) of `count()` items. Large chunks come before small
// chunks. Among chunks of the same size, the chunk of the last items comes first.
void forEachChunk(Search &search, llvm::function_ref<size_t()> count,
                  llvm::function_ref<void(size_t, size_t)> tryChunk);

} // namespace drumlin::reduce

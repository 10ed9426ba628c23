// Origins: the numbers of the program operations that a plan operation came from. The importer
// numbers each operation of the program once, in its location; passes that merge operations fuse
// their locations, so that the origins of a kernel are found by walking.
#pragma once

#include "mlir/IR/Operation.h"

namespace drumlin::plan {

// Gives every operation under `root` a number, in program order, inside its location. What lies in
// the region of an operation other than control flow, such as a reduction's body, is a part of that
// operation and has its number.
void numberOrigins(mlir::Operation *root);

// The sorted, distinct origin numbers of an operation, its regions included.
llvm::SmallVector<int64_t> originsOf(mlir::Operation *op);

// One location for what was several operations: origins and source locations of all, without
// repetition.
mlir::Location mergeLocations(mlir::MLIRContext *context, llvm::ArrayRef<mlir::Operation *> ops);

// The innermost named source position of a location: `model.py:12:7`, or the file position of the
// program text.
std::string sourceOf(mlir::Location loc);

} // namespace drumlin::plan

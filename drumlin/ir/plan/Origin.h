// Origins: the numbers of the program operations that a plan operation came from. The importer
// numbers each operation of the program once, in its location; passes that merge operations fuse
// their locations, so that the origins of a kernel are found by walking.
#pragma once

#include "mlir/IR/Operation.h"

#include <string>
#include <vector>

namespace drumlin::plan {

// Gives every operation under `root` a number, in program order, inside its location. What lies in
// the region of an operation other than control flow, such as a reduction's body, is a part of that
// operation and has its number.
void numberOrigins(mlir::Operation *root);

// An operation of the program as it was numbered.
struct ProgramOperation {
  std::string name;                // `stablehlo.dot_general`
  std::string source;              // sourceOf()
  std::vector<std::string> scopes; // every name in its location: `jit(step)/mlp/dot_general`
  std::vector<int64_t> operands;   // the operations that compute them, by number
  mlir::DictionaryAttr attributes; // its discardable ones
};

// One operation alone, without its operands.
ProgramOperation describeOperation(mlir::Operation *op);
// The operations under a numbered root, each at its number.
std::vector<ProgramOperation> programOperations(mlir::Operation *root);

// The sorted, distinct origin numbers of an operation, its regions included.
llvm::SmallVector<int64_t> originsOf(mlir::Operation *op);

// Of what one launch does: of a loop or a branch, where values are moved for it, not what is in its
// regions, which has launches of its own.
llvm::SmallVector<int64_t> originsOfLaunch(mlir::Operation *op);

// The calls through which the first operation of a location was inlined, by number, the outermost
// first.
llvm::SmallVector<int64_t> callPathOf(mlir::Location loc);

// The sorted, distinct origin numbers of a location.
llvm::SmallVector<int64_t> originsOf(mlir::Location loc);

// An operation of the program at one of its places: its number, and the calls through which it was
// inlined there, the outermost first.
using OriginPlace = std::pair<int64_t, std::vector<int64_t>>;
// All that a location is merged of, without repetition.
std::vector<OriginPlace> placesOf(mlir::Location loc);

// The location of an operation of a function whose body takes the place of `call`: with the call
// after those through which that one was inlined. Paths of more than sixteen calls end there.
mlir::Location inlinedLocation(mlir::Location loc, mlir::Location call);

// One location for what was several operations: origins and source locations of all, without
// repetition.
mlir::Location mergeLocations(mlir::MLIRContext *context, llvm::ArrayRef<mlir::Operation *> ops);

// The innermost named source position of a location: `model.py:12:7`, or the file position of the
// program text.
std::string sourceOf(mlir::Location loc);

} // namespace drumlin::plan

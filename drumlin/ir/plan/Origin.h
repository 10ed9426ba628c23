// Origins: the numbers of the program operations from which a plan operation was made. The importer
// gives each operation of the program a number, which it stores in the operation's location. Passes
// that merge operations also merge the locations, so that the location of a kernel contains all of
// its origins.
#pragma once

#include "mlir/IR/Operation.h"

#include <string>
#include <vector>

namespace drumlin::plan {

// Numbers the operations under `root` in program order, and stores each number in the operation's
// location. An operation in the region of an operation other than control flow, for example in a
// reduction's body, is part of that outer operation and has the outer operation's number.
void numberOrigins(mlir::Operation *root);

// An operation of the program, as it was when it was numbered.
struct ProgramOperation {
  std::string name;                // `stablehlo.dot_general`
  std::string source;              // sourceOf()
  std::vector<std::string> scopes; // every name in its location: `jit(step)/mlp/dot_general`
  std::vector<int64_t> operands;   // the numbers of the operations that compute its operands
  mlir::DictionaryAttr attributes; // its discardable attributes
};

// Describes one operation, without its operands.
ProgramOperation describeOperation(mlir::Operation *op);
// Returns the operations under a numbered root, indexed by number.
std::vector<ProgramOperation> programOperations(mlir::Operation *root);

// Returns the sorted, distinct origin numbers of an operation, including its regions.
llvm::SmallVector<int64_t> originsOf(mlir::Operation *op);

// Returns the origins of the work that one launch does. The work of a loop or a branch is only to
// copy values, because the operations in its regions have their own launches.
llvm::SmallVector<int64_t> originsOfLaunch(mlir::Operation *op);

// Returns the numbers of the calls through which the first operation of a location was inlined,
// outermost first.
llvm::SmallVector<int64_t> callPathOf(mlir::Location loc);

// Returns the sorted, distinct origin numbers of a location.
llvm::SmallVector<int64_t> originsOf(mlir::Location loc);

// One occurrence of a program operation after inlining: its number, and the calls through which it
// was inlined, outermost first.
using OriginPlace = std::pair<int64_t, std::vector<int64_t>>;
// Returns the occurrences of which a merged location consists, without repetition.
std::vector<OriginPlace> placesOf(mlir::Location loc);

// Returns the location that an operation of a function has after the function's body replaced
// `call`. Its path consists of the calls through which `call` itself was inlined, and of `call`.
// Paths are limited to sixteen calls.
mlir::Location inlinedLocation(mlir::Location loc, mlir::Location call);

// Merges the locations of several operations into one: the result has all of their origins and
// source locations, without repetition.
mlir::Location mergeLocations(mlir::MLIRContext *context, llvm::ArrayRef<mlir::Operation *> ops);

// Returns the innermost named source position of a location, such as `model.py:12:7`, or the file
// position in the program text.
std::string sourceOf(mlir::Location loc);

} // namespace drumlin::plan

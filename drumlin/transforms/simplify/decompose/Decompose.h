// Operations that are others by definition, family by family. Each function makes the others before
// the operation and gives what its results are; nothing where the operation stays, and then nothing
// is made.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/ProcessGroups.h"
#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace drumlin {

class Ledger;

using Replacements = std::optional<llvm::SmallVector<mlir::Value>>;

Replacements decomposeBatchNorm(mlir::Operation *op);
Replacements decomposeBodies(mlir::Operation *op);
Replacements decomposeChlo(mlir::Operation *op);
Replacements decomposeCollectives(mlir::Operation *op);
Replacements decomposeCustomCall(mlir::Operation *op);
Replacements decomposeEinsum(mlir::Operation *op);
Replacements decomposeIndependent(mlir::Operation *op);
Replacements decomposeLegacy(mlir::Operation *op);
Replacements decomposeLinearAlgebra(mlir::Operation *op);
Replacements decomposeMap(mlir::Operation *op);
Replacements decomposeRaggedDot(mlir::Operation *op);
Replacements decomposeRandomBits(mlir::Operation *op);
Replacements decomposeScan(mlir::Operation *op);

// Whether a program's collectives, transfers and numbers of processes fit its grid.
Status checkCollectives(mlir::Region &function);
// Whether a program that is compiled for one process does without others: ProcessCountMissing at
// the first operation that doesn't. Nothing is said of larger grids. Collectives can be planned
// without others, transfers to other processes can't.
enum class Meetings : uint8_t { All, Transfers };
Status checkProcessCount(mlir::Operation *module, const GridShape &grid, Meetings meetings);

// In the functions that an operation applies to scalars.
void decomposeBranches(mlir::Operation *op);

// get_tuple_element(tuple(a, b, …), i) is the i-th of a, b, …; a tuple that nothing takes anything
// of goes. Whether the operation did.
bool decomposeTuple(mlir::Operation *op);

// Computations that are started and awaited become ones at the place where they are started.
void inlineAsynchronous(mlir::Region &function);

// Custom calls for the elements that a function of the program puts first, be they approximately
// those, become sorts: while the program still has its functions.
void sortApproximately(mlir::ModuleOp module, Ledger &ledger);

// Composites and custom calls that name an operation of CHLO (`chlo.erf`, `mhlo.topk`), or one of
// XLA's targets that there is code for (`xla.Qr`), become that: while calls aren't inlined yet.
void recomposeOperations(mlir::ModuleOp module, Ledger &ledger);

// The upper half of the product of two integers.
mlir::Value upperHalfOfProduct(TensorBuilder &b, mlir::Value x, mlir::Value y);

// Random numbers of distributions: each draw of a run has a stream of its own, which loops carry.
void decomposeDraws(mlir::Region &function);

} // namespace drumlin

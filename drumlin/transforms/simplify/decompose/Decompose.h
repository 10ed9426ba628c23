// Decomposes operations into the operations that define them; each function handles one family. It
// inserts the new operations before the operation and returns replacements for its results. If the
// operation stays, the function changes nothing and returns nothing.
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

// Checks that a program's collectives, transfers and process ids fit its grid.
Status checkCollectives(mlir::Region &function);
// The operations that are refused if the program is compiled for one process: all that need several
// processes, or only transfers. A collective can be planned without other processes; a transfer to
// another process can't.
enum class Meetings : uint8_t { All, Transfers };
// Checks that a program compiled for one process has no refused operation. Fails with
// ProcessCountMissing at the first one. Accepts every operation if the grid has several processes.
Status checkProcessCount(mlir::Operation *module, const GridShape &grid, Meetings meetings);

// Replaces branches by selects in the bodies of reductions, windows, scatters and sorts.
void decomposeBranches(mlir::Operation *op);

// Replaces get_tuple_element(tuple(a, b, …), i) by the i-th operand and erases unused tuples.
// Returns whether it changed the operation.
bool decomposeTuple(mlir::Operation *op);

// Replaces asynchronous computations by synchronous ones, executed where they are started.
void inlineAsynchronous(mlir::Region &function);

// Replaces custom calls that approximate the top k elements by exact sorts. The comparator is a
// function of the program, so this must run while the program still has its functions.
void sortApproximately(mlir::ModuleOp module, Ledger &ledger);

// Replaces composites and custom calls that name a CHLO operation (`chlo.erf`, `mhlo.topk`), or an
// XLA target with an implementation here (`xla.Qr`). Must run before calls are inlined.
void recomposeOperations(mlir::ModuleOp module, Ledger &ledger);

// Returns the upper n bits of the 2n-bit product of two n-bit integers.
mlir::Value upperHalfOfProduct(TensorBuilder &b, mlir::Value x, mlir::Value y);

// Decomposes random distributions. Each draw of a run has its own stream; loops carry the number of
// the next stream.
void decomposeDraws(mlir::Region &function);

} // namespace drumlin

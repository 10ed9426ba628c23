// Weights: arguments that are bound to arrays of a file when a program is compiled. They become
// part of the image; callers pass only the other arguments.
//
// An argument's name is the name in its location, as JAX prints it (`params['w']`). An array
// matches an argument if it has the same name, literally or with dots (`params.w`), or if its name
// is the argument's number in the program's text (`in0`, `in1`, …). Elements are never copied: the
// arrays stay in the mapped file, the program refers to them by name (weightsAttribute in
// ir/plan/BufferAssignment.h), and the image's table has their types, shapes and hashes.
#pragma once

#include "drumlin/support/ArrayFiles.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// The file that has the elements when the image runs. OwnFile: the image's side file, in which they
// have the layout that kernels prefer. CallersFile: the file that the caller gave.
enum class WeightPlace { OwnFile, CallersFile };

// Moves the entry function's bound arguments after its other arguments and names them. Returns the
// arrays of the bound arguments in their new order. If the program already has weights, because it
// is the text of a later phase, only looks up their arrays. Fails with an error of readArrays(),
// ArrayTypeMismatch, WeightUnmatched (an array matches no argument), WeightMissing or
// WeightDonated.
Result<std::vector<NamedTensor>> bindWeights(mlir::ModuleOp module, const std::string &path,
                                             WeightPlace place = WeightPlace::OwnFile);

// Records a ledger entry for each weight of the program.
void recordWeights(mlir::ModuleOp module, Ledger &ledger);

} // namespace drumlin

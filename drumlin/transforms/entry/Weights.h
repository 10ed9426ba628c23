// Arguments that are bound to arrays of a file when a program is compiled. They become weights of
// the image: callers pass only the other arguments.
//
// An argument's name is the name in its location, which is what JAX prints (`params['w']`). An
// array belongs to an argument whose name it has, as it stands or with dots (`params.w`), or whose
// number it has in the program's text (`in0`, `in1`, …). Elements are never copied: the arrays lie
// in the mapped file, the program names them (weightsAttribute in ir/plan/BufferAssignment.h), and
// the image's table has their types, shapes and hashes.
#pragma once

#include "drumlin/support/ArrayFiles.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

// Where the elements are when the image runs: in its side file, laid out as its kernels like them
// best, or where the caller has them.
enum class WeightPlace { OwnFile, CallersFile };

// Moves the entry function's bound arguments behind the others and names them there; gives their
// arrays in that order. Where the program has weights already (it is the text of a later phase),
// only their arrays are looked up. Fails with the codes of readArrays(), ArrayTypeMismatch,
// WeightUnmatched (an array that belongs to no argument), WeightMissing or WeightDonated.
Result<std::vector<NamedTensor>> bindWeights(mlir::ModuleOp module, const std::string &path,
                                             WeightPlace place = WeightPlace::OwnFile);

// An entry for each weight of the program.
void recordWeights(mlir::ModuleOp module, Ledger &ledger);

} // namespace drumlin

// A program as phases leave it, interpreted on a caller's arguments: what native results are
// compared with, and how far roundings may move them.
#pragma once

#include "drumlin/driver/Phases.h"
#include "drumlin/driver/check/CheckOptions.h"
#include "drumlin/driver/check/RoundingAllowance.h"
#include "drumlin/interpreter/Interpreter.h"
#include "mlir/IR/OwningOpRef.h"

namespace drumlin {

// Of some phases or none, at the sizes of the call, with the weights that they bound: arguments
// behind the caller's.
struct PhaseProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Tensor> weights;
};

std::vector<Tensor> tensorsOf(const std::vector<NamedTensor> &named);

// The program at the sizes of the call, where it has symbolic ones.
Status setSizes(mlir::ModuleOp module, const SizeExpression::Values &symbols);

// `written` is left as it is.
Result<PhaseProgram> programAfter(const std::string &phase, mlir::ModuleOp written,
                                  const CompileOptions &compilation,
                                  const SizeExpression::Values &symbols);

// The interpreter's options for a check; `table` must outlive them.
InterpreterOptions interpreterFor(const InterpreterTable &table, const CheckOptions &options);

// The results, of all processes in turn where the program is one of several.
Result<std::vector<Tensor>> interpretWhole(const PhaseProgram &program,
                                           const std::vector<Tensor> &arguments,
                                           const CheckOptions &options,
                                           const InterpreterTable &table);

// How far each element of each result may lie from what is interpreted (roundingAllowances()).
using Allowances = std::vector<std::vector<double>>;
Result<Allowances> allowancesOf(const PhaseProgram &program, const std::vector<Tensor> &arguments,
                                Numerics numerics, const CheckOptions &options, int evaluations,
                                const SumUnits &planned = {});
// Of a program as written. Phase simplify leaves sums to few operations, and takes complex numbers
// apart.
Result<Allowances> allowancesOfWritten(mlir::ModuleOp written, const std::vector<Tensor> &arguments,
                                       const CompileOptions &compilation,
                                       const CheckOptions &options,
                                       const SizeExpression::Values &symbols, int evaluations,
                                       const SumUnits &planned = {});

} // namespace drumlin

// Interprets a program after each phase on the caller's arguments, for comparison with native
// results, and bounds the effect of roundings.
#pragma once

#include "drumlin/driver/Phases.h"
#include "drumlin/driver/check/CheckOptions.h"
#include "drumlin/driver/check/RoundingAllowance.h"
#include "drumlin/interpreter/Interpreter.h"
#include "mlir/IR/OwningOpRef.h"

namespace drumlin {

// A program as written or after some phases, at the sizes of the call. Its arguments are those of
// the caller, followed by its bound weights.
struct PhaseProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Tensor> weights;
};

std::vector<Tensor> tensorsOf(const std::vector<NamedTensor> &named);

// Sets the call's sizes in a program with symbolic sizes.
Status setSizes(mlir::ModuleOp module, const SizeExpression::Values &symbols);

// Returns the program after a phase; leaves `written` unchanged.
Result<PhaseProgram> programAfter(const std::string &phase, mlir::ModuleOp written,
                                  const CompileOptions &compilation,
                                  const SizeExpression::Values &symbols);

// Returns the interpreter's options for a check; `table` must outlive them.
InterpreterOptions interpreterFor(const InterpreterTable &table, const CheckOptions &options);

// Interprets the program and returns its results; with several processes, the results of all
// processes in order.
Result<std::vector<Tensor>> interpretWhole(const PhaseProgram &program,
                                           const std::vector<Tensor> &arguments,
                                           const CheckOptions &options,
                                           const InterpreterTable &table);

// How far each element of each result may differ from the interpreter's result
// (roundingAllowances()).
using Allowances = std::vector<std::vector<double>>;
Result<Allowances> allowancesOf(const PhaseProgram &program, const std::vector<Tensor> &arguments,
                                Numerics numerics, const CheckOptions &options, int evaluations,
                                const SumUnits &planned = {});
// Returns the allowances of a program as written. First runs the phase simplify on a copy, which
// replaces sums by a few kinds of operations, and complex numbers by their real and imaginary
// parts.
Result<Allowances> allowancesOfWritten(mlir::ModuleOp written, const std::vector<Tensor> &arguments,
                                       const CompileOptions &compilation,
                                       const CheckOptions &options,
                                       const SizeExpression::Values &symbols, int evaluations,
                                       const SumUnits &planned = {});

} // namespace drumlin

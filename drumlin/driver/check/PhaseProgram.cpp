#include "drumlin/driver/check/PhaseProgram.h"

#include "drumlin/interpreter/Grid.h"
#include "drumlin/interpreter/PlanOperations.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/sizes/BoundedResults.h"
#include "drumlin/ir/sizes/InstantiateSizes.h"
#include "drumlin/runtime/calls/CallPreparation.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin {

using Tensors = std::vector<Tensor>;

Tensors tensorsOf(const std::vector<NamedTensor> &named) {
  Tensors tensors;
  for (const NamedTensor &each : named) {
    tensors.push_back(each.tensor);
  }
  return tensors;
}

Status setSizes(mlir::ModuleOp module, const SizeExpression::Values &symbols) {
  if (sizeSymbolsOf(entryFunction(module)).empty() || instantiateSizes(module, symbols)) {
    return Done();
  }
  return diagnose(errors::InternalError, "the program can't be instantiated at the inputs' sizes");
}

Result<PhaseProgram> programAfter(const std::string &phase, mlir::ModuleOp written,
                                  const CompileOptions &compilation,
                                  const SizeExpression::Values &symbols) {
  PhaseProgram made{mlir::cast<mlir::ModuleOp>(written->clone()), {}};
  CompileOptions until = compilation;
  until.stopAfter = phase;
  until.dumpPhases.clear();
  until.dumpPass.clear();
  PhaseResult phases;
  Status status = runPhases(*made.module, until, phases);
  status = status ? setSizes(*made.module, symbols) : status;
  if (!status) {
    return status.error();
  }
  made.weights = tensorsOf(phases.weights);
  return made;
}

InterpreterOptions interpreterFor(const InterpreterTable &table, const CheckOptions &options) {
  static const HostCaller hostCaller = callOnce;
  InterpreterOptions interpreter;
  interpreter.table = &table;
  interpreter.hostCaller = &hostCaller;
  interpreter.maxMemory = options.maxMemory;
  interpreter.kernels.maxBytes = options.maxMemory;
  return interpreter;
}

Result<Tensors> interpretWhole(const PhaseProgram &program, const Tensors &arguments,
                               const CheckOptions &options, const InterpreterTable &table) {
  Tensors all = arguments;
  all.insert(all.end(), program.weights.begin(), program.weights.end());
  mlir::func::FuncOp main = entryFunction(*program.module);
  std::vector<CountedBy> counts = countsOfResults(main);
  if (options.grid.processes() == 1) {
    Result<Tensors> results = interpret(main, all, interpreterFor(table, options));
    return results ? Result<Tensors>(countedResults(std::move(*results), counts)) : results;
  }
  std::vector<ProcessProgram> programs(static_cast<size_t>(options.grid.processes()),
                                       {main, inMemoryOrder(main, all)});
  Result<GridRun> run = interpretGrid(programs, options.grid, interpreterFor(table, options));
  if (!run) {
    return run.error();
  }
  Tensors results;
  for (Tensors &each : run->results) {
    llvm::append_range(results, countedResults(inProgramOrder(main, std::move(each)), counts));
  }
  return results;
}

Result<Allowances> allowancesOf(const PhaseProgram &program, const Tensors &arguments,
                                Numerics numerics, const CheckOptions &options, int evaluations,
                                const SumUnits &planned) {
  auto run = [&](const InterpreterTable &table) {
    return interpretWhole(program, arguments, options, table);
  };
  Result<Tensors> exact = run(planOperations());
  if (!exact) {
    return exact.error();
  }
  Allowances made =
      roundingAllowances(run, *exact, planOperations(), numerics, evaluations, planned);
  made.resize(exact->size());
  return made;
}

Result<Allowances> allowancesOfWritten(mlir::ModuleOp written, const Tensors &arguments,
                                       const CompileOptions &compilation,
                                       const CheckOptions &options,
                                       const SizeExpression::Values &symbols, int evaluations,
                                       const SumUnits &planned) {
  Result<PhaseProgram> program = programAfter("simplify", written, compilation, symbols);
  return program ? allowancesOf(*program, arguments, compilation.numerics, options, evaluations,
                                planned)
                 : program.error();
}

} // namespace drumlin

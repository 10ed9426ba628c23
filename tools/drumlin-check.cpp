// drumlin-check: runs a test program that checks its own results. The program is interpreted, or
// compiled with `--compile`. An interpreted program may use the operations of `drumlin run
// --interpret`, and `"interpreter.run_parallel"`, which runs other functions of the program on a
// grid of processes. The attribute `programs` of this operation lists the functions of each
// replica, and its attribute `infeed` the functions that return the data to feed in. Runs `@main`,
// or else every public function without arguments. With `--target-cpu` and `--runner`, programs are
// compiled for another architecture and run there, except programs that run on several processes.
#include "CompiledChecks.h"
#include "TestDialects.h"
#include "drumlin/driver/Phases.h"
#include "drumlin/import/Import.h"
#include "drumlin/interpreter/Grid.h"
#include "drumlin/interpreter/StandardOperations.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"
#include "drumlin/target/TargetNames.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <CLI/CLI.hpp>
#include <cstdio>

using namespace drumlin;

using Tensors = std::vector<Tensor>;

static mlir::func::FuncOp functionNamed(mlir::Operation *from, mlir::Attribute name) {
  auto symbol = mlir::dyn_cast<mlir::FlatSymbolRefAttr>(name);
  return symbol ? mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(from, symbol)
                : mlir::func::FuncOp();
}

static Diagnostic malformed() {
  return diagnose(errors::InterpreterUnsupported,
                  "`interpreter.run_parallel` names functions that the program lacks");
}

// Calls the functions that the attribute `infeed` lists, and returns their results, in order.
static Result<std::vector<Tensors>> infeedOf(mlir::Operation *op,
                                             const InterpreterOptions &options) {
  std::vector<Tensors> values;
  auto functions = op->getAttrOfType<mlir::ArrayAttr>("infeed");
  for (mlir::Attribute name :
       functions ? functions.getValue() : llvm::ArrayRef<mlir::Attribute>()) {
    mlir::func::FuncOp function = functionNamed(op, name);
    Result<Tensors> given =
        function ? interpret(function, {}, options) : Result<Tensors>(malformed());
    if (!given) {
      return given.error();
    }
    values.push_back(std::move(*given));
  }
  return values;
}

static Result<std::vector<Tensors>> resultsOf(Result<GridRun> run) {
  return run ? Result<std::vector<Tensors>>(std::move(run->results)) : run.error();
}

// Runs a program on several processes as native code.
static Result<std::vector<Tensors>> runParallelCompiled(std::vector<ProcessProgram> programs,
                                                        const GridShape &shape,
                                                        const std::vector<Tensors> &infeed) {
  std::vector<Tensors> arguments;
  for (ProcessProgram &program : programs) {
    if (program.function != programs.front().function || !infeed.empty()) {
      return diagnose(errors::InterpreterUnsupported,
                      "`interpreter.run_parallel` of several programs, or with values to feed in, "
                      "isn't compiled");
    }
    arguments.push_back(std::move(program.arguments));
  }
  return runProcessesCompiled(programs.front().function, shape, arguments);
}

// Runs `interpreter.run_parallel`. Its operands are the arguments of all processes, one process
// after another, and its results are the results of all processes.
static Result<Tensors> runParallel(mlir::Operation *op, Tensors operands,
                                   const InterpreterOptions &options, bool compiles) {
  auto rows = op->getAttrOfType<mlir::ArrayAttr>("programs");
  if (!rows || rows.empty()) {
    return malformed();
  }
  std::vector<ProcessProgram> programs;
  GridShape shape{static_cast<int64_t>(rows.size()), 0};
  auto next = operands.begin();
  for (mlir::Attribute row : rows) {
    auto names = mlir::dyn_cast<mlir::ArrayAttr>(row);
    shape.partitions = names ? static_cast<int64_t>(names.size()) : 0;
    for (mlir::Attribute name : names ? names.getValue() : llvm::ArrayRef<mlir::Attribute>()) {
      mlir::func::FuncOp function = functionNamed(op, name);
      auto types = function ? tensorTypesOf(function.getArgumentTypes()) : std::nullopt;
      if (!types || operands.end() - next < static_cast<std::ptrdiff_t>(types->size())) {
        return malformed();
      }
      auto end = next + static_cast<std::ptrdiff_t>(types->size());
      programs.push_back({function, Tensors(next, end)});
      next = end;
    }
  }
  Result<std::vector<Tensors>> infeed = infeedOf(op, options);
  if (!infeed) {
    return infeed.error();
  }
  Result<std::vector<Tensors>> run =
      compiles ? runParallelCompiled(std::move(programs), shape, *infeed)
               : resultsOf(interpretGrid(programs, shape, options, std::move(*infeed)));
  if (!run) {
    return run.error();
  }
  Tensors results;
  for (Tensors &each : *run) {
    llvm::append_range(results, each);
  }
  return results;
}

static bool runsProcesses(mlir::func::FuncOp entry) {
  return llvm::any_of(entry.getOps(), [](mlir::Operation &op) {
    return op.getName().getStringRef() == "interpreter.run_parallel";
  });
}

static std::vector<mlir::func::FuncOp> entriesOf(mlir::ModuleOp module) {
  if (auto main = module.lookupSymbol<mlir::func::FuncOp>("main")) {
    return {main};
  }
  std::vector<mlir::func::FuncOp> entries;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.getNumArguments() == 0 && !function.isPrivate()) {
      entries.push_back(function);
    }
  }
  return entries;
}

static Status runInterpreted(mlir::func::FuncOp entry, const InterpreterOptions &options) {
  Result<Tensors> results = interpret(entry, {}, options);
  return results ? Status(Done()) : Status(results.error());
}

// Reads a program with MLIR's parser, since Drumlin's own reader rejects the test dialects, and
// programs with several functions but no `@main`.
static mlir::OwningOpRef<mlir::ModuleOp> readProgram(const char *path, mlir::MLIRContext &context) {
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importFile(path, context);
  return module ? std::move(*module) : mlir::parseSourceFile<mlir::ModuleOp>(path, &context);
}

int main(int argc, char **argv) {
  bool compiles = false, roundsEachSum = false;
  std::string path, targetCpu = "native";
  CompiledFor made;
  CLI::App app("Runs a test program that compares its own results");
  auto *compiled = app.add_flag("--compile", compiles, "run native code");
  app.add_flag("--round-each-sum", roundsEachSum, "interpret, rounding each partial sum")
      ->excludes(compiled);
  app.add_option("--target-cpu", targetCpu, "the CPU that the code is for")->needs(compiled);
  app.add_option("--runner", made.runner,
                 "a command that runs images for it as examples/c/run_image.c does")
      ->needs(compiled);
  app.add_option("program", path, "a file of MLIR's text")->required();
  CLI11_PARSE(app, argc, argv);
  Result<TargetPtr> target = targetFromName(targetCpu);
  if (!target) {
    std::fputs(target.error().str().c_str(), stderr);
    return static_cast<int>(info(target.error().code).status);
  }
  made.target = *target;
  mlir::DialectRegistry registry = programDialects();
  registerTestDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  mlir::OwningOpRef<mlir::ModuleOp> module = readProgram(path.c_str(), context);
  if (!module) {
    return static_cast<int>(ExitStatus::InvalidInput);
  }
  InterpreterTable table = standardOperations();
  InterpreterOptions options;
  options.table = &table;
  options.kernels.wideAccumulation = !roundsEachSum;
  table.add("interpreter.run_parallel", [&](mlir::Operation *op, Tensors operands, Frame &) {
    return runParallel(op, std::move(operands), options, compiles);
  });
  std::vector<mlir::func::FuncOp> entries = entriesOf(*module);
  for (mlir::func::FuncOp entry : entries) {
    // A function that runs other functions on processes is itself interpreted, and the functions
    // that it runs are compiled.
    Status status = compiles && !runsProcesses(entry) ? runCompiled(entry, options, made)
                                                      : runInterpreted(entry, options);
    if (!status) {
      std::fputs(status.error().str().c_str(), stderr);
      return static_cast<int>(info(status.error().code).status);
    }
  }
  if (entries.empty()) {
    std::fputs("the program has no function to run\n", stderr);
  }
  return entries.empty() ? 3 : 0;
}

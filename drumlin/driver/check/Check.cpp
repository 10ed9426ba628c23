#include "drumlin/driver/check/Check.h"

#include "drumlin/driver/ValueDescriptions.h"
#include "drumlin/driver/check/PhaseProgram.h"
#include "drumlin/driver/check/RoundingAllowance.h"
#include "drumlin/interpreter/PlanOperations.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/Processes.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/runtime/executable/CallSizes.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/diagnostics/NumberErrors.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/entry/Weights.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

namespace drumlin {

using Tensors = std::vector<Tensor>;

// A program's results have the tolerance of a single kernel's results times this factor, since
// errors accumulate.
static constexpr double wholeFactor = 10;

bool CheckReport::resultsDiverge() const {
  return llvm::any_of(results, [](const ResultCheck &each) { return each.elements.diverges; });
}

std::string LaunchPlace::str() const {
  std::string text = "`" + kernel + "`, launch " + std::to_string(launch) + " (call " +
                     std::to_string(call) + " of this kernel)";
  return operations.empty() ? text : text + ": " + operations.front();
}

// Returns the results of all processes if the program needs several concurrent processes; else
// nullopt.
static Result<std::optional<Tensors>>
runProcesses(const Compilation &compiled, const CheckInputs &inputs, CheckOptions &options) {
  LoadOptions load;
  load.threads = options.threads;
  Result<std::unique_ptr<Executable>> executable = compiled.load("check", load);
  if (!executable) {
    return executable.error();
  }
  if (!(*executable)->needsProcesses()) {
    return std::optional<Tensors>();
  }
  options.grid = (*executable)->description().grid;
  auto count = static_cast<size_t>(options.grid.processes());
  Result<std::vector<Tensors>> run =
      callProcesses(**executable, std::vector<Tensors>(count, inputs.arguments));
  if (!run) {
    return run.error();
  }
  Tensors results;
  for (Tensors &each : *run) {
    llvm::append_range(results, each);
  }
  return std::optional(std::move(results));
}

// Returns `process (1, 0), `, or an empty text if there is only one process.
static std::string processText(size_t process, const GridShape &grid) {
  return grid.processes() == 1
             ? std::string()
             : "process " + ProcessId::of(static_cast<int64_t>(process), grid).str() + ", ";
}

// Returns whether any result differs by more than a single kernel's tolerance.
static bool differ(const Tensors &got, const Tensors &expected, const CheckOptions &options,
                   const Allowances &allowances) {
  for (size_t i = 0; i < got.size(); ++i) {
    if (checkElements(got[i], expected[i], options.tolerance, /*isRounded=*/false, 1,
                      allowances.empty() ? std::vector<double>() : allowances[i])
            .diverges) {
      return true;
    }
  }
  return false;
}

// Returns the values of the program's size symbols for a call's arguments.
static Result<SizeExpression::Values> symbolsOf(const ImageDescription &image,
                                                const Tensors &arguments, const std::string &name) {
  std::vector<Shape> shapes;
  for (const Tensor &argument : arguments) {
    shapes.push_back(argument.shape());
  }
  Result<CallSizes> sizes = sizesOfCall(image, shapes, name);
  if (!sizes) {
    return sizes.error();
  }
  std::map<std::string, int64_t, std::less<>> values;
  for (auto [symbol, value] : llvm::zip_equal(image.symbols, sizes->symbols)) {
    values[symbol.name] = value;
  }
  return SizeExpression::Values([values = std::move(values)](std::string_view symbol) {
    auto found = values.find(symbol);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  });
}

// Returns the first phase after which the program's results differ; empty if none.
static Result<std::string> findPhase(mlir::ModuleOp written, const Tensors &arguments,
                                     const Tensors &expected, const CompileOptions &compilation,
                                     const CheckOptions &options,
                                     const SizeExpression::Values &symbols,
                                     const Allowances &allowances) {
  bool isReached = compilation.startFrom.empty();
  for (const std::string &phase : phaseNames()) {
    if (!isReached) {
      isReached = phase == compilation.startFrom;
      continue;
    }
    if (options.progress) {
      options.progress("interpreting the program after phase " + phase, 0, 0);
    }
    Result<PhaseProgram> made = programAfter(phase, written, compilation, symbols);
    if (!made) {
      return made.error();
    }
    Result<Tensors> results = interpretWhole(*made, arguments, options, planOperations());
    if (!results) {
      return results.error();
    }
    if (differ(*results, expected, options, allowances)) {
      return phase;
    }
  }
  return std::string();
}

// Binds the program's weights and returns them. With `--auto-cast`, also runs the passes up to the
// roundings that this option allows, since these roundings count as part of the program.
static Result<Tensors> prepare(mlir::ModuleOp module, const CompileOptions &compilation,
                               const SizeExpression::Values &symbols) {
  if (compilation.autoCast.mode != AutoCast::Mode::None && compilation.startFrom.empty()) {
    PhaseResult phases;
    Status status = roundProgram(module, compilation, phases);
    status = status ? setSizes(module, symbols) : status;
    return status ? Result<Tensors>(tensorsOf(phases.weights)) : status.error();
  }
  if (compilation.weightsFile.empty()) {
    return Tensors();
  }
  Result<std::vector<NamedTensor>> arrays = bindWeights(module, compilation.weightsFile);
  return arrays ? Result<Tensors>(tensorsOf(*arrays)) : arrays.error();
}

// Returns whether the program has a convolution with a dilated input. Phases may then change which
// of its results are infinities and NaNs: multiplications by the inserted zeros cause some of them
// (docs/numerics.md).
static bool hasDilatedConvolution(mlir::ModuleOp module) {
  return module
      .walk([](stablehlo::ConvolutionOp op) {
        bool isDilated =
            llvm::any_of(op.lhsDilationOrDefault(), [](int64_t dilation) { return dilation > 1; });
        return isDilated ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

// Returns whether a phase unrolled a reduction or dot into separate additions, each of which
// rounds.
static bool hasUnrolledReduction(const Ledger &ledger) {
  return llvm::any_of(ledger.entries(), [](const LedgerEntry &entry) {
    return entry.rule == "unroll-reduction" && entry.reason == Reason::Taken;
  });
}

// Compares the native results with those of the interpreted program as written.
static Status checkWhole(mlir::ModuleOp written, const Tensors &arguments,
                         const CompileOptions &compilation, const CheckOptions &options,
                         const SizeExpression::Values &symbols, const Ledger &ledger,
                         const SumUnits &planned, CheckReport &report) {
  PhaseProgram bound{mlir::cast<mlir::ModuleOp>(written->clone()), {}};
  Result<Tensors> weights = prepare(*bound.module, compilation, symbols);
  if (!weights) {
    return weights.error();
  }
  bound.weights = std::move(*weights);
  if (options.progress) {
    options.progress("interpreting the program", 0, 0);
  }
  Result<Tensors> expected = interpretWhole(bound, arguments, options, planOperations());
  if (!expected) {
    return expected.error();
  }
  mlir::func::FuncOp main = entryFunction(written);
  Allowances allowances;
  auto allow = [&]() -> Status {
    if (!allowances.empty()) {
      return Done{};
    }
    int evaluations =
        report.divergentLaunches > 0 ? fewRoundingEvaluations : manyRoundingEvaluations;
    Result<Allowances> made =
        compilation.startFrom.empty()
            ? allowancesOfWritten(written, arguments, compilation, options, symbols, evaluations,
                                  planned)
            : allowancesOf(bound, arguments, compilation.numerics, options, evaluations, planned);
    if (!made) {
      return made.error();
    }
    allowances = std::move(*made);
    return Done{};
  };
  // Tokens have no values.
  llvm::SmallVector<unsigned> tensors;
  for (auto [number, type] : llvm::enumerate(main.getResultTypes())) {
    if (mlir::isa<mlir::ShapedType>(type)) {
      tensors.push_back(static_cast<unsigned>(number));
    }
  }
  for (size_t i = 0; i < expected->size(); ++i) {
    ResultCheck result;
    unsigned number = tensors[i % tensors.size()];
    auto given = main.getResultAttrOfType<mlir::StringAttr>(number, "jax.result_info");
    result.name = processText(i / tensors.size(), options.grid) +
                  (given ? given.str() : "result" + std::to_string(number));
    ValueDescription described = describeValue(main.getResultTypes()[number]);
    if (!mlir::cast<mlir::ShapedType>(main.getResultTypes()[number]).hasStaticShape()) {
      described.shape = report.nativeValues[i].shape();
    }
    result.type = described.typeText();
    // Integer results may depend on roundings anywhere in the program.
    result.elements = checkElements(report.nativeValues[i], (*expected)[i], options.tolerance,
                                    /*isRounded=*/true, wholeFactor);
    if (result.elements.diverges && !options.tolerance.isGiven()) {
      if (Status status = allow(); !status) {
        return status;
      }
      result.elements = checkElements(report.nativeValues[i], (*expected)[i], options.tolerance,
                                      /*isRounded=*/true, wholeFactor, allowances[i]);
    }
    report.results.push_back(std::move(result));
  }
  report.interpretedResults = countNonFinite(*expected);
  auto isAny = [](const NonFiniteCounts &counts) { return counts.nans + counts.infinities > 0; };
  if (isAny(report.interpretedResults) || isAny(report.nativeResults) || report.native.nan ||
      report.native.infinity) {
    searchArguments(arguments, report.interpreted);
    InterpreterTable table = searchingTable(planOperations(), report.interpreted);
    Result<Tensors> again = interpretWhole(bound, arguments, options, table);
    if (!again) {
      return again.error();
    }
  }
  if (!differ(report.nativeValues, *expected, options, {})) {
    return Done{};
  }
  Allowances ofPhases;
  bool mayMove = compilation.numerics.allows(Relaxation::Reassociate) ||
                 hasDilatedConvolution(written) || hasUnrolledReduction(ledger);
  if (mayMove && !options.tolerance.isGiven()) {
    if (Status status = allow(); !status) {
      return status;
    }
    ofPhases = allowances;
    if (!differ(report.nativeValues, *expected, options, ofPhases)) {
      return Done{};
    }
  }
  Result<std::string> phase =
      findPhase(written, arguments, *expected, compilation, options, symbols, ofPhases);
  if (!phase) {
    return phase.error();
  }
  report.wrongPhase = std::move(*phase);
  return Done{};
}

Result<CheckReport> checkProgram(mlir::ModuleOp program, const std::string &name,
                                 const CompileOptions &compilation,
                                 const CheckOptions &checkOptions,
                                 const MakeArguments &makeArguments) {
  CheckOptions options = checkOptions;
  CheckReport report;
  mlir::OwningOpRef<mlir::ModuleOp> written = mlir::cast<mlir::ModuleOp>(program->clone());
  CompileOptions timed = compilation;
  timed.timeKernels = true;
  Result<Compilation> compiled = compile(program, name, timed);
  if (!compiled) {
    return compiled.error();
  }
  if (compiled->image.empty()) {
    return diagnose(errors::UnknownPhase,
                    "a program that stops after phase `" + compilation.stopAfter +
                        "` has no native code to check",
                    "--stop-after", "drop the option");
  }
  Result<Tensors> arguments = makeArguments(compiled->description.arguments);
  if (!arguments) {
    return arguments.error();
  }
  Result<SizeExpression::Values> symbols = symbolsOf(compiled->description, *arguments, name);
  if (!symbols) {
    return symbols.error();
  }
  CheckInputs inputs = {*arguments, tensorsOf(compiled->phases.weights)};
  // If the program runs as one process, it is loaded only by checkLaunches().
  Result<std::optional<Tensors>> together = gridOf(program).processes() == 1
                                                ? std::optional<Tensors>()
                                                : runProcesses(*compiled, inputs, options);
  if (!together) {
    return together.error();
  }
  Status status = setSizes(program, *symbols);
  if (!status) {
    return status.error();
  }
  report.roundings = roundingNotes(program, compiled->phases.ledger);
  if (*together) {
    // Launches aren't compared one by one if several processes run them concurrently.
    report.nativeResults = countNonFinite(**together);
    report.nativeValues = std::move(**together);
  } else {
    status = checkLaunches(program, *compiled, inputs, compilation, options, report);
  }
  if (!status) {
    return status.error();
  }
  for (auto [kernel, summary] : llvm::zip(program.getOps<plan::KernelOp>(), report.kernels)) {
    summary.relaxations = relaxationsOf(kernel, compiled->phases.ledger);
  }
  status = checkWhole(*written, *arguments, compilation, options, *symbols, compiled->phases.ledger,
                      sumUnitsOf(program), report);
  if (!status) {
    return status.error();
  }
  if (options.checksRanges) {
    Result<RangeReport> ranges = checkRanges(*written, compilation, *arguments, options.maxMemory);
    if (!ranges) {
      return ranges.error();
    }
    report.ranges = std::move(*ranges);
  }
  return report;
}

Status verdict(const CheckReport &report, const std::string &program) {
  if (!report.memoryFault.empty()) {
    return diagnose(errors::MemoryDiverges, report.memoryFault, program);
  }
  if (report.first) {
    return diagnose(errors::KernelDiverges,
                    std::to_string(report.divergentLaunches) + " of " +
                        std::to_string(report.launches) +
                        " launches differ from the interpreter, first " + report.first->place.str(),
                    program);
  }
  if (!report.wrongPhase.empty()) {
    return diagnose(errors::PhaseDiverges,
                    "the program's results after phase `" + report.wrongPhase +
                        "` differ from those before it",
                    program);
  }
  if (report.resultsDiverge()) {
    return diagnose(errors::NumbersDiffer,
                    "the results differ from the interpreted program's, though each kernel and "
                    "each phase agrees with it: roundings add up",
                    program);
  }
  return Done{};
}

} // namespace drumlin

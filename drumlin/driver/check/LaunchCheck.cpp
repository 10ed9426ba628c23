// Interprets the placed plan, launch by launch, alongside the native code.
#include "drumlin/driver/ValueDescriptions.h"
#include "drumlin/driver/check/Check.h"
#include "drumlin/driver/check/NativeSteps.h"
#include "drumlin/driver/check/OperationSearch.h"
#include "drumlin/driver/check/PhaseProgram.h"
#include "drumlin/driver/check/RoundingAllowance.h"
#include "drumlin/driver/check/RoundingNotes.h"
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/PlanOperations.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/sizes/BoundedResults.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "llvm/ADT/StringMap.h"

#include <cstring>

namespace drumlin {

using Tensors = std::vector<Tensor>;

static std::string placeOf(mlir::Operation *op) {
  std::string source = plan::sourceOf(op->getLoc());
  return op->getName().getStringRef().str() + (source.empty() ? "" : " at " + source);
}

// Returns the names and sources of a kernel's operations: the hero first, or the last operation if
// there is no hero. Leaves out constants and data movement, unless the kernel has nothing else.
static std::vector<std::string> operationsOf(plan::KernelOp kernel) {
  std::vector<std::string> places, moves;
  for (mlir::Operation &op : llvm::reverse(kernel.getBody().front().without_terminator())) {
    OperationClass of = classify(&op);
    bool isMove = of == OperationClass::Constant || of == OperationClass::DataMovement;
    std::vector<std::string> &list = isMove ? moves : places;
    std::string place = placeOf(&op);
    if (!llvm::is_contained(list, place)) {
      list.insert(of == OperationClass::Hero ? list.begin() : list.end(), place);
    }
  }
  return places.empty() ? moves : places;
}

// Returns a tensor with a copy of the elements in a launch's buffer.
static Tensor copied(mlir::Type type, const void *buffer) {
  ValueDescription value = describeValue(type);
  Tensor tensor(value.type, value.shape);
  if (tensor.bytes() > 0) {
    std::memcpy(tensor.data(), buffer, static_cast<size_t>(tensor.bytes()));
  }
  return tensor;
}

static bool sameBytes(const Tensor &a, const Tensor &b) {
  return std::memcmp(a.data(), b.data(), static_cast<size_t>(a.bytes())) == 0;
}

namespace {
class LaunchChecker {
public:
  LaunchChecker(mlir::ModuleOp placed, NativeSteps &native, const CompileOptions &compilation,
                const CheckOptions &options, CheckReport &report)
      : native(native), compilation(compilation), options(options), report(report) {
    for (plan::KernelOp kernel : placed.getOps<plan::KernelOp>()) {
      numbers.try_emplace(kernel.getSymName(), report.kernels.size());
      std::vector<std::string> operations = operationsOf(kernel);
      report.kernels.push_back({kernel.getSymName().str(),
                                plan::stringifyKernelKind(kernel.getKind()).str(),
                                operations.empty() ? "" : operations.front()});
    }
  }

  Result<Tensors> launch(mlir::Operation *op, Tensors operands, Frame &frame) {
    auto launch = mlir::cast<plan::LaunchOp>(op);
    auto kernel = frame.lookup<plan::KernelOp>(launch, launch.getKernelAttr());
    auto number = static_cast<int64_t>(numbers.lookup(launch.getKernel()));
    if (options.progress) {
      options.progress("launch", static_cast<size_t>(report.launches), 0);
    }
    if (hasParted) {
      return frame.run(kernel.getBody(), std::move(operands));
    }
    std::optional<NativeSteps::Stop> before = native.next();
    if (!before || before->kernel != number) {
      hasParted = true;
      noteFault("at launch " + std::to_string(report.launches) + " the plan continues with `" +
                launch.getKernel().str() + "` (" + placeOf(launch) + "), but the native code " +
                (before
                     ? "with `" + report.kernels[static_cast<size_t>(before->kernel)].kernel + "`"
                     : "ends"));
      return frame.run(kernel.getBody(), std::move(operands));
    }
    Tensors inputs;
    for (auto [i, type] : llvm::enumerate(launch.getInputs().getTypes())) {
      inputs.push_back(copied(type, before->buffers[i]));
      if (!sameBytes(inputs.back(), operands[i])) {
        noteFault("launch " + std::to_string(report.launches) + ", `" + launch.getKernel().str() +
                  "` (" + placeOf(launch) + "): its input " + std::to_string(i) +
                  " differs from what " + writerOf(launch.getInputs()[i]) + " stored");
      }
    }
    std::optional<NativeSteps::Stop> after = native.next();
    if (!after) {
      return diagnose(errors::InternalError, "launch did not complete",
                      plan::sourceOf(launch.getLoc()));
    }
    Tensors outputs;
    for (auto [i, type] : llvm::enumerate(launch.getOutputs().getTypes())) {
      outputs.push_back(copied(type, after->buffers[inputs.size() + i]));
    }
    Result<Tensors> expected = frame.run(kernel.getBody(), inputs);
    if (!expected) {
      return expected;
    }
    compare(launch, kernel, number, inputs, outputs, *expected);
    searchNonFinite(launch, inputs, outputs, *expected);
    ++report.launches;
    return outputs;
  }

  void noteFault(std::string fault) {
    if (report.memoryFault.empty()) {
      report.memoryFault = std::move(fault);
    }
  }
  bool isInStep() const { return !hasParted; }

private:
  static std::string writerOf(mlir::Value value) {
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
      return "argument " + std::to_string(argument.getArgNumber()) + " of `" +
             argument.getOwner()->getParentOp()->getName().getStringRef().str() + "`";
    }
    mlir::Operation *op = value.getDefiningOp();
    auto launch = mlir::dyn_cast<plan::LaunchOp>(op);
    return launch ? "`" + launch.getKernel().str() + "` (" + placeOf(op) + ")" : placeOf(op);
  }

  // Returns how far roundings inside the kernel may move its results; empty if this is unknown.
  std::vector<std::vector<double>> allowancesOf(plan::LaunchOp launch, plan::KernelOp kernel,
                                                const Tensors &inputs,
                                                const Tensors &expected) const {
    auto run = [&](const InterpreterTable &table) {
      return evaluate(launch, inputs, interpreterFor(table, options));
    };
    std::vector<std::vector<double>> allowances = roundingAllowances(
        run, expected, planOperations(), unseenRelaxations(kernel), manyRoundingEvaluations);
    allowances.resize(expected.size());
    return allowances;
  }

  void compare(plan::LaunchOp launch, plan::KernelOp kernel, int64_t number, const Tensors &inputs,
               const Tensors &outputs, const Tensors &expected) {
    CheckedKernel &summary = report.kernels[static_cast<size_t>(number)];
    int64_t call = summary.calls++;
    bool diverges = false;
    for (size_t i = 0; i < outputs.size(); ++i) {
      mlir::Value yielded =
          kernel.getBody().front().getTerminator()->getOperand(static_cast<unsigned>(i));
      bool isRounded = !isFloat(outputs[i].type()) && comesFromRounding(yielded);
      ElementCheck check = checkElements(outputs[i], expected[i], options.tolerance, isRounded);
      if (check.diverges && !options.tolerance.isGiven() && isFloat(outputs[i].type())) {
        check = checkElements(outputs[i], expected[i], options.tolerance, isRounded, 1,
                              allowancesOf(launch, kernel, inputs, expected)[i]);
      }
      summary.maxUlps = std::max(summary.maxUlps, check.maxUlps);
      summary.maxRelative = std::max(summary.maxRelative, check.maxRelative);
      if (!check.diverges || diverges) {
        continue;
      }
      diverges = true;
      ++summary.divergentCalls;
      if (report.divergentLaunches++ > 0) {
        continue;
      }
      LaunchDivergence &first = report.first.emplace();
      first.place = {summary.kernel, summary.kind, report.launches, call, operationsOf(kernel)};
      first.value = "output " + std::to_string(i) + ", " +
                    describeValue(launch.getOutputs()[i].getType()).typeText();
      first.elements = check;
      searchOperation(kernel, inputs, compilation, options, first);
    }
  }

  // Finds the first operation of the kernel that creates a NaN or infinity from operands without
  // them.
  void searchNonFinite(plan::LaunchOp launch, const Tensors &inputs, const Tensors &outputs,
                       const Tensors &expected) {
    NonFiniteOrigins &origins = report.native;
    if (origins.nan && origins.infinity) {
      return;
    }
    NonFiniteCounts made = countNonFinite(outputs);
    if ((made.nans == 0 || origins.nan) && (made.infinities == 0 || origins.infinity)) {
      return;
    }
    NonFiniteCounts given = countNonFinite(inputs), interpreted = countNonFinite(expected);
    NonFiniteOrigins inside;
    InterpreterTable table = searchingTable(planOperations(), inside);
    (void)evaluate(launch, inputs, interpreterFor(table, options));
    auto settle = [&](std::optional<NonFiniteOrigin> &origin,
                      const std::optional<NonFiniteOrigin> &found, int64_t isMade, int64_t isGiven,
                      int64_t isInterpreted) {
      if (origin || isMade == 0) {
        return;
      }
      if (found) {
        origin = found;
        origin->kernel = launch.getKernel().str();
      } else if (isGiven == 0 && isInterpreted == 0) {
        origin = NonFiniteOrigin{"`" + launch.getKernel().str() + "` (its interpretation has none)",
                                 plan::sourceOf(launch.getLoc()), launch.getKernel().str(), 0, ""};
      }
    };
    settle(origins.nan, inside.nan, made.nans, given.nans, interpreted.nans);
    settle(origins.infinity, inside.infinity, made.infinities, given.infinities + given.nans,
           interpreted.infinities);
  }

  NativeSteps &native;
  const CompileOptions &compilation;
  const CheckOptions &options;
  CheckReport &report;
  llvm::StringMap<size_t> numbers; // indices of kernels in the image's table
  bool hasParted = false; // the launches of the native code no longer match those of the plan
};
} // namespace

Status checkLaunches(mlir::ModuleOp placed, const Compilation &compiled, const CheckInputs &inputs,
                     const CompileOptions &compilation, const CheckOptions &options,
                     CheckReport &report) {
  NativeSteps native;
  LoadOptions load;
  load.threads = options.threads;
  load.observer = native.observer();
  Result<std::unique_ptr<Executable>> executable = compiled.load("check", load);
  if (!executable) {
    return executable.error();
  }
  LaunchChecker checker(placed, native, compilation, options, report);
  InterpreterTable table = planOperations();
  table.add("plan.launch", [&](mlir::Operation *op, Tensors operands, Frame &frame) {
    return checker.launch(op, std::move(operands), frame);
  });
  searchArguments(inputs.arguments, report.native);
  native.start(**executable, inputs.arguments);
  Tensors all = inputs.arguments;
  all.insert(all.end(), inputs.weights.begin(), inputs.weights.end());
  Result<Tensors> propagated =
      interpret(entryFunction(placed), all, interpreterFor(table, options));
  bool goesOn = propagated && checker.isInStep() && native.next();
  Result<Tensors> results = native.finish();
  if (!propagated) {
    return propagated.error();
  }
  if (!results) {
    return results.error();
  }
  *propagated = countedResults(std::move(*propagated), countsOfResults(entryFunction(placed)));
  if (goesOn) {
    checker.noteFault("the native code continues after the plan's last launch");
  }
  for (size_t i = 0; i < results->size() && checker.isInStep(); ++i) {
    if (!sameBytes((*results)[i], (*propagated)[i])) {
      checker.noteFault("result " + std::to_string(i) +
                        " differs from what the last launches stored");
    }
  }
  report.nativeResults = countNonFinite(*results);
  for (size_t i = 0; i < results->size(); ++i) {
    report.nativeValues.push_back((*results)[i]);
  }
  return Done{};
}

} // namespace drumlin

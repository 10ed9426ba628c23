#include "CompiledChecks.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/driver/check/ForeignRun.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/CustomCallOp.h"
#include "drumlin/ir/stablehlo/DynamicBroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/DynamicConvOp.h"
#include "drumlin/ir/stablehlo/DynamicGatherOp.h"
#include "drumlin/ir/stablehlo/DynamicIotaOp.h"
#include "drumlin/ir/stablehlo/DynamicPadOp.h"
#include "drumlin/ir/stablehlo/DynamicReshapeOp.h"
#include "drumlin/ir/stablehlo/OptimizationBarrierOp.h"
#include "drumlin/ir/stablehlo/RealDynamicSliceOp.h"
#include "drumlin/ir/stablehlo/SetDimensionSizeOp.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/target/TargetNames.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

// Returns whether an operand determines a size. Such operands must stay constants, since programs
// whose sizes depend on a tensor's elements can't be compiled.
static bool isSize(OpOperand &use) {
  unsigned number = use.getOperandNumber();
  return llvm::TypeSwitch<Operation *, bool>(use.getOwner())
      .Case<stablehlo::DynamicIotaOp>([](auto) { return true; })
      .Case<stablehlo::DynamicBroadcastInDimOp, stablehlo::DynamicReshapeOp,
            stablehlo::DynamicPadOp, stablehlo::RealDynamicSliceOp, stablehlo::SetDimensionSizeOp>(
          [&](auto) { return number > 0; })
      .Case<stablehlo::DynamicConvOp, stablehlo::DynamicGatherOp>([&](auto) { return number > 1; })
      .Default([](auto) { return false; });
}

// Puts each constant behind a barrier, so that nothing is folded at compile time.
static void hideConstants(ModuleOp module) {
  SmallVector<stablehlo::ConstantOp> constants;
  module.walk([&](stablehlo::ConstantOp constant) {
    if (isa<func::FuncOp>(constant->getParentOp()) && isa<RankedTensorType>(constant.getType())) {
      constants.push_back(constant);
    }
  });
  for (stablehlo::ConstantOp constant : constants) {
    OpBuilder builder(constant->getContext());
    builder.setInsertionPointAfter(constant);
    auto hidden = stablehlo::OptimizationBarrierOp::create(
        builder, constant.getLoc(), constant->getResultTypes(), constant->getResults());
    constant->getResult(0).replaceUsesWithIf(hidden->getResult(0), [&](OpOperand &use) {
      return use.getOwner() != hidden && !isSize(use);
    });
  }
}

// Moves the function's checks into a new function and returns that function. The operands of the
// checks become the results of `entry` and the arguments of the new function.
static func::FuncOp splitChecks(func::FuncOp entry) {
  auto checks = llvm::filter_to_vector(
      entry.getOps<stablehlo::CustomCallOp>(),
      [](stablehlo::CustomCallOp call) { return call.getCallTargetName().starts_with("check."); });
  SmallVector<Value> compared;
  for (stablehlo::CustomCallOp check : checks) {
    llvm::append_range(compared, check->getOperands());
  }
  OpBuilder builder(entry);
  auto types = llvm::to_vector(ValueRange(compared).getTypes());
  auto comparisons = func::FuncOp::create(builder, entry.getLoc(), "comparisons",
                                          builder.getFunctionType(types, {}));
  Block *block = comparisons.addEntryBlock();
  ValueRange arguments = block->getArguments();
  for (stablehlo::CustomCallOp check : checks) {
    check->moveBefore(block, block->end());
    check->setOperands(arguments.take_front(check->getNumOperands()));
    arguments = arguments.drop_front(check->getNumOperands());
  }
  builder.setInsertionPointToEnd(block);
  func::ReturnOp::create(builder, entry.getLoc());
  entry.getBody().front().getTerminator()->setOperands(compared);
  entry.setType(builder.getFunctionType({}, types));
  entry.removeResAttrsAttr();
  return comparisons;
}

// Compiles a program whose entry is the function `name`, on a grid of processes.
static Result<Compilation> compileEntry(ModuleOp program, StringRef name, const GridShape &grid,
                                        const TargetPtr &target) {
  for (auto function : program.getOps<func::FuncOp>()) {
    if (function.getSymName() == name) {
      function.setSymName("main");
      function.setPublic();
    } else {
      function.setPrivate();
    }
  }
  CompileOptions options;
  options.useCache = false;
  options.grid = grid;
  options.target = target;
  return compile(program, "program", options);
}

static Result<std::vector<Tensor>> resultsOf(const Compilation &compiled,
                                             const std::string &runner) {
  if (!runner.empty()) {
    return runElsewhere(runner, compiled, {}, 2);
  }
  Result<std::unique_ptr<Executable>> executable = compiled.load("program");
  return executable ? call(**executable, {}) : executable.error();
}

Status runCompiled(func::FuncOp entry, const InterpreterOptions &options, const CompiledFor &made) {
  OwningOpRef<ModuleOp> module = cast<ModuleOp>(entry->getParentOfType<ModuleOp>()->clone());
  hideConstants(*module);
  entry = module->lookupSymbol<func::FuncOp>(entry.getSymName());
  func::FuncOp comparisons = splitChecks(entry);
  OwningOpRef<ModuleOp> program = cast<ModuleOp>(module->clone());
  program->lookupSymbol(comparisons.getSymName())->erase();
  Result<Compilation> compiled =
      compileEntry(*program, entry.getSymName(), GridShape(), made.target);
  if (!compiled) {
    return compiled.error();
  }
  Result<std::vector<Tensor>> values = resultsOf(*compiled, made.runner);
  if (!values) {
    return values.error();
  }
  Result<std::vector<Tensor>> results = interpret(comparisons, std::move(*values), options);
  return results ? Status(Done()) : Status(results.error());
}

Result<std::vector<std::vector<Tensor>>>
runProcessesCompiled(func::FuncOp function, const GridShape &grid,
                     const std::vector<std::vector<Tensor>> &arguments) {
  OwningOpRef<ModuleOp> program = cast<ModuleOp>(function->getParentOfType<ModuleOp>()->clone());
  hideConstants(*program);
  // Unused functions, for example the caller that started this run, aren't part of the program.
  StringRef name = function.getSymName();
  for (auto each : llvm::make_early_inc_range(program->getOps<func::FuncOp>())) {
    if (each.getSymName() != name && SymbolTable::symbolKnownUseEmpty(each, *program)) {
      each.erase();
    }
  }
  Result<Compilation> compiled = compileEntry(*program, name, grid, nativeTarget());
  if (!compiled) {
    return compiled.error();
  }
  Result<std::unique_ptr<Executable>> executable = compiled->load("program");
  if (!executable) {
    return executable.error();
  }
  return callProcesses(**executable, arguments);
}

} // namespace drumlin

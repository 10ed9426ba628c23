#include "CompiledChecks.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/runtime/executable/Executable.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

// Operands that give sizes: a program that computes them from what it is given isn't compiled.
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

// Behind a barrier a constant is any value: nothing is folded.
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

// What is compared becomes the function's results, in place of its own; the comparisons go into a
// function that is given them.
static func::FuncOp splitChecks(func::FuncOp entry) {
  auto checks = llvm::filter_to_vector(
      entry.getOps<stablehlo::CustomCallOp>(),
      [](stablehlo::CustomCallOp call) { return call.getCallTargetName().starts_with("check."); });
  SmallVector<Value> compared;
  for (stablehlo::CustomCallOp check : checks) {
    llvm::append_range(compared, check->getOperands());
  }
  OpBuilder builder(entry);
  Location loc = entry.getLoc();
  auto types = llvm::to_vector(ValueRange(compared).getTypes());
  auto comparisons =
      func::FuncOp::create(builder, loc, "comparisons", builder.getFunctionType(types, {}));
  Block *block = comparisons.addEntryBlock();
  builder.setInsertionPointToStart(block);
  size_t next = 0;
  for (stablehlo::CustomCallOp check : checks) {
    IRMapping mapping;
    Operation *copy = builder.clone(*check, mapping);
    for (OpOperand &operand : copy->getOpOperands()) {
      operand.set(block->getArgument(static_cast<unsigned>(next++)));
    }
    check.erase();
  }
  func::ReturnOp::create(builder, loc);
  Operation *end = entry.getBody().front().getTerminator();
  end->setOperands(compared);
  entry.setType(builder.getFunctionType({}, types));
  entry.removeResAttrsAttr();
  return comparisons;
}

Status runCompiled(func::FuncOp entry, const InterpreterOptions &options) {
  OwningOpRef<ModuleOp> module = cast<ModuleOp>(entry->getParentOfType<ModuleOp>()->clone());
  hideConstants(*module);
  entry = module->lookupSymbol<func::FuncOp>(entry.getSymName());
  func::FuncOp comparisons = splitChecks(entry);
  OwningOpRef<ModuleOp> program = cast<ModuleOp>(module->clone());
  program->lookupSymbol(comparisons.getSymName())->erase();
  for (auto function : program->getOps<func::FuncOp>()) {
    if (function.getSymName() == entry.getSymName()) {
      function.setSymName("main");
      function.setPublic();
    } else {
      function.setPrivate();
    }
  }
  CompileOptions compileOptions;
  compileOptions.useCache = false;
  Result<Compilation> compiled = compile(*program, "program", compileOptions);
  if (!compiled) {
    return compiled.error();
  }
  auto executable = Executable::loadFromMemory(
      std::as_bytes(std::span<const char>(compiled->image)), "program", LoadOptions());
  if (!executable) {
    return executable.error();
  }
  Result<std::vector<Tensor>> values = (*executable)->call({});
  if (!values) {
    return values.error();
  }
  Result<std::vector<Tensor>> results = interpret(comparisons, std::move(*values), options);
  return results ? Status(Done()) : Status(results.error());
}

} // namespace drumlin

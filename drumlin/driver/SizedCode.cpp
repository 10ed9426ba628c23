#include "drumlin/driver/SizedCode.h"

#include "drumlin/codegen/cpu/EntryEmitter.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/sizes/InstantiateSizes.h"
#include "llvm/IR/LLVMContext.h"

namespace drumlin {

static std::string textOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

// Those of the kernel's values that depend on symbols.
static std::vector<SizeExpression> sizesIn(plan::KernelOp kernel) {
  std::vector<SizeExpression> made;
  auto add = [&](mlir::Value value) {
    if (hasSymbolicSizes(value.getType())) {
      llvm::copy_if(symbolicSizesOf(value), std::back_inserter(made),
                    [](const SizeExpression &size) { return !size.constant(); });
    }
  };
  llvm::for_each(kernel.getBody().getArguments(), add);
  kernel.getBody().walk([&](mlir::Operation *op) { llvm::for_each(op->getResults(), add); });
  return made;
}

// Of two texts, for those who look for what makes them differ.
static std::string firstDifference(llvm::StringRef a, llvm::StringRef b) {
  while (!a.empty() || !b.empty()) {
    auto [line, rest] = a.split('\n');
    auto [other, otherRest] = b.split('\n');
    if (line != other) {
      return "it has `" + line.trim().str() + "` at the nominal ones, and `" + other.trim().str() +
             "` at others";
    }
    a = rest;
    b = otherRest;
  }
  return "it needs other memory at others than the nominal ones";
}

Status checkSizedCode(plan::KernelOp kernel, const codegen::KernelProperties &made,
                      const llvm::Module &code, const CpuTarget &target,
                      const RoutineLibrary &routines) {
  if (sizeSymbolsIn(kernel).empty()) {
    return Done{};
  }
  mlir::func::FuncOp entry = entryFunction(kernel->getParentOfType<mlir::ModuleOp>());
  // Larger ones, at which the schedule still fits.
  SizeExpression::Values values = otherValues(sizeSymbolsOf(entry), sizeConstraintsOf(entry),
                                              OtherSizes::Larger, sizesIn(kernel));
  mlir::OwningOpRef<plan::KernelOp> other = kernel.clone();
  bool isWell = changeNominalSizes(*other, values);
  llvm::LLVMContext context;
  llvm::Module module(kernel.getSymName(), context);
  Result<codegen::KernelProperties> properties =
      codegen::emitKernel(*other, codegen::kernelFunctionName(kernel), module, target, routines);
  auto refuse = [&](const std::string &why) {
    return diagnose(DiagnosticCode::UnsupportedDynamicShape,
                    "no native code for kernel `" + kernel.getSymName().str() +
                        "` that is right at all sizes: " + why,
                    plan::sourceOf(kernel.getLoc()));
  };
  if (!properties) {
    return refuse(properties.error().message);
  }
  bool isSame = isWell && properties->scratchBytes == made.scratchBytes &&
                properties->partialBytes == made.partialBytes && properties->steps == made.steps;
  std::string text = textOf(code), otherText = textOf(module);
  if (isSame && otherText == text) {
    return Done{};
  }
  return refuse(firstDifference(text, otherText));
}

} // namespace drumlin

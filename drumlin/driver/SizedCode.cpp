#include "drumlin/driver/SizedCode.h"

#include "drumlin/codegen/cpu/EntryEmitter.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/sizes/InstantiateSizes.h"

namespace drumlin {

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

mlir::OwningOpRef<plan::KernelOp> withLargerSizes(plan::KernelOp kernel) {
  mlir::func::FuncOp entry = entryFunction(kernel->getParentOfType<mlir::ModuleOp>());
  std::vector<SizeSymbol> symbols = sizeSymbolsOf(entry);
  std::vector<SizeExpression> sizes = sizesIn(kernel);
  SizeExpression::Values nominal = nominalValues(symbols);
  SizeExpression::Values values =
      otherValues(symbols, sizeConstraintsOf(entry), OtherSizes::Larger, sizes);
  bool areLarger = llvm::all_of(sizes, [&](const SizeExpression &size) {
    return size.evaluate(values) >= size.evaluate(nominal);
  });
  mlir::OwningOpRef<plan::KernelOp> other = kernel.clone();
  if (!areLarger) {
    return other;
  }
  return changeNominalSizes(*other, values) ? std::move(other) : nullptr;
}

Result<codegen::KernelProperties> emitForAllSizes(plan::KernelOp kernel, llvm::Module &module,
                                                  const CpuTarget &target,
                                                  const RoutineLibrary &routines) {
  std::string name = codegen::kernelFunctionName(kernel);
  if (sizeSymbolsIn(kernel).empty()) {
    return codegen::emitKernel(kernel, name, module, target, routines);
  }
  mlir::OwningOpRef<plan::KernelOp> larger = withLargerSizes(kernel);
  if (!larger) {
    return diagnose(DiagnosticCode::UnsupportedDynamicShape,
                    "no native code for kernel `" + kernel.getSymName().str() +
                        "`: its sizes have no values but the nominal ones",
                    plan::sourceOf(kernel.getLoc()));
  }
  Result<codegen::KernelProperties> made =
      codegen::emitKernel(*larger, name, module, target, routines);
  if (made && made->tiles.symbolic) {
    SizeExpression::Values nominal =
        nominalValues(sizeSymbolsOf(entryFunction(kernel->getParentOfType<mlir::ModuleOp>())));
    made->tiles.nominal = made->tiles.symbolic->evaluate(nominal).value_or(made->tiles.nominal);
  }
  return made;
}

} // namespace drumlin

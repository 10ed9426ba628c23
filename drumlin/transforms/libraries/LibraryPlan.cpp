#include "drumlin/transforms/libraries/LibraryPlan.h"

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/Slots.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/transforms/layout/TensorEngineLayout.h"
#include "drumlin/transforms/libraries/CallBuilder.h"

using namespace mlir;

namespace drumlin {

static std::string typeText(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  std::string text = std::string(name(elementTypeOf(type))) + " [";
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    text += (i ? ", " : "") + std::to_string(size);
  }
  return text + "]";
}

static std::string originText(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    bool isProgram = isa<func::FuncOp>(argument.getOwner()->getParentOp());
    return (isProgram ? "argument " : "carried value ") + std::to_string(argument.getArgNumber());
  }
  Operation *op = value.getDefiningOp();
  return "result " + std::to_string(cast<OpResult>(value).getResultNumber()) + " of " +
         op->getName().getStringRef().str();
}

static LibraryKernel planKernel(plan::GemmOp gemm, const GpuTarget &target,
                                const llvm::DenseSet<Value> &statics) {
  LibraryKernel kernel;
  for (Operation &op : gemm.getBody().front()) {
    if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op)) {
      kernel.source = plan::sourceOf(op.getLoc());
      kernel.shape = typeText(op.getOperand(0)) + " x " + typeText(op.getOperand(1)) + " -> " +
                     typeText(op.getResult(0));
    }
  }
  for (Value input : gemm.getInputs()) {
    kernel.inputs.push_back(typeText(input) + " = " + originText(input));
  }
  for (Value output : gemm.getOutputs()) {
    kernel.outputs.push_back(typeText(output));
  }
  auto decline = [&](const PartsLimit &limit) {
    kernel.limit = limit.limit;
    kernel.detail = limit.detail;
    return kernel;
  };
  std::variant<GemmParts, PartsLimit> parts = gemmParts(gemm);
  if (auto *limit = std::get_if<PartsLimit>(&parts)) {
    return decline(*limit);
  }
  CallBuilder builder(gemm, target, std::get<GemmParts>(parts), statics);
  if (std::optional<PartsLimit> limit = builder.run()) {
    return decline(*limit);
  }
  if (std::optional<LibraryViolation> violation = violationOf(builder.call, target)) {
    kernel.manual = violation->source;
    return decline({violation->limit, violation->detail});
  }
  kernel.call = std::move(builder.call);
  return kernel;
}

std::vector<LibraryKernel> planLibraryCalls(ModuleOp module, const GpuTarget &target,
                                            const std::vector<int64_t> &staticArguments) {
  llvm::DenseSet<Value> statics;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  size_t passed = main.getNumArguments() - weightCount(main);
  for (BlockArgument argument : main.getArguments()) {
    size_t number = argument.getArgNumber();
    if (number >= passed || main.getArgAttr(argument.getArgNumber(), staticAttribute) ||
        llvm::is_contained(staticArguments, static_cast<int64_t>(number))) {
      statics.insert(argument);
    }
  }
  std::vector<LibraryKernel> kernels;
  module.walk([&](Operation *op) {
    if (isa<stablehlo::ConstantOp>(op) && isa<func::FuncOp>(op->getParentOp())) {
      statics.insert(op->getResult(0));
    }
    if (auto gemm = dyn_cast<plan::GemmOp>(op)) {
      kernels.push_back(planKernel(gemm, target, statics));
    }
  });
  return kernels;
}

} // namespace drumlin

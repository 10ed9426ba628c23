#include "drumlin/transforms/libraries/LibraryPlan.h"

#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
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
    unsigned number = argument.getArgNumber();
    std::string text = (isProgram ? "argument " : "carried value ") + std::to_string(number);
    auto main = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (std::optional<BlockedLayout> layout = main ? argumentLayout(main, number) : std::nullopt) {
      text += " in the layout " + layout->str();
      text += main.getArgAttr(number, staticAttribute) ? ", turned once before the first call" : "";
    }
    return text;
  }
  Operation *op = value.getDefiningOp();
  // What layout assignment pays for: a kernel that does nothing but transpose.
  auto copy = dyn_cast<plan::LoopOp>(op);
  if (copy && copy.getInputs().size() == 1) {
    auto made = dyn_cast<plan::YieldOp>(copy.getBody().front().getTerminator());
    auto transpose = made.getOperands().front().getDefiningOp<stablehlo::TransposeOp>();
    if (transpose && isa<BlockArgument>(transpose.getOperand())) {
      return originText(copy.getInputs().front()) +
             ", transposed before each call: " + std::to_string(bytesOf(value)) + " bytes";
    }
  }
  return "result " + std::to_string(cast<OpResult>(value).getResultNumber()) + " of " +
         op->getName().getStringRef().str();
}

static LibraryKernel planKernel(plan::GemmOp gemm, const GpuTarget &target) {
  LibraryKernel kernel;
  if (auto forced = gemm->getAttrOfType<StringAttr>(plan::forcedKernelAttribute)) {
    kernel.forced = forced.str();
  }
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
  if (kernel.forced == "own") {
    return decline({LibraryLimit::Forced, ""});
  }
  std::variant<GemmParts, PartsLimit> parts = gemmParts(gemm);
  if (auto *limit = std::get_if<PartsLimit>(&parts)) {
    return decline(*limit);
  }
  CallBuilder builder(gemm, target, std::get<GemmParts>(parts));
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

std::vector<LibraryKernel> planLibraryCalls(ModuleOp module, const GpuTarget &target) {
  std::vector<LibraryKernel> kernels;
  module.walk([&](plan::GemmOp gemm) { kernels.push_back(planKernel(gemm, target)); });
  return kernels;
}

} // namespace drumlin

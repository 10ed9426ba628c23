#include "drumlin/transforms/libraries/LibraryPlan.h"

#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/LibraryCallOp.h"
#include "drumlin/ir/plan/LoopOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "drumlin/transforms/libraries/CopyReasons.h"
#include "drumlin/transforms/libraries/ProductCuts.h"
#include "llvm/ADT/StringExtras.h"

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

// Describes a kernel by its first few operations in order, leaving out data movement and operations
// on scalars.
static std::string functionText(Operation *kernel) {
  static constexpr size_t most = 6;
  SmallVector<StringRef> names;
  size_t more = 0;
  bool makesOneNumber = isOneNumber(kernel->getResult(0));
  for (Operation &op : kernel->getRegion(0).front().without_terminator()) {
    OperationClass is = classify(&op);
    bool isAside = isOneNumber(op.getResult(0)) && !makesOneNumber;
    if (is == OperationClass::Constant || is == OperationClass::DataMovement || isAside) {
      continue;
    }
    StringRef name = op.getName().stripDialect();
    if (names.size() == most) {
      ++more;
    } else if (names.empty() || names.back() != name) {
      names.push_back(name);
    }
  }
  return names.empty() ? ""
                       : " (" + llvm::join(names, ", ") +
                             (more ? " and " + std::to_string(more) + " more" : "") + ")";
}

static std::string originText(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    bool isProgram = isa<func::FuncOp>(argument.getOwner()->getParentOp());
    unsigned number = argument.getArgNumber();
    std::string text =
        isProgram ? argumentText(argument).text : "carried value " + std::to_string(number);
    auto main = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (std::optional<BlockedLayout> layout = main ? argumentLayout(main, number) : std::nullopt) {
      text += " in the layout " + layout->str();
      text +=
          main.getArgAttr(number, staticAttribute) ? ", transposed once before the first call" : "";
    }
    return text;
  }
  Operation *op = value.getDefiningOp();
  std::string number = std::to_string(cast<OpResult>(value).getResultNumber());
  if (isa<plan::LoopOp>(op)) {
    return "result " + number + " of a kernel of our own" + functionText(op) + ": " +
           std::to_string(bytesOf(value)) + " bytes";
  }
  return "result " + number + " of " + op->getName().getStringRef().str();
}

static std::string inputText(OpOperand &input, const GpuTarget &target) {
  Operation *made = input.get().getDefiningOp();
  stablehlo::TransposeOp move = transposeOf(made);
  if (!move) {
    return originText(input.get());
  }
  return originText(made->getOperand(0)) +
         ", transposed before each call: " + std::to_string(bytesOf(input.get())) + " bytes; " +
         reasonOfTranspose(input.getOwner(), input.getOperandNumber(), move.getPermutation(),
                           target);
}

// Describes the generated kernel that reads an output directly or after a transpose.
static std::string readerText(Value output) {
  for (Operation *user : output.getUsers()) {
    if (isa<plan::BitcastOp, stablehlo::ReshapeOp>(user)) {
      return readerText(user->getResult(0));
    }
    if (!isa<plan::LoopOp>(user)) {
      continue;
    }
    if (transposeOf(user)) {
      bool isReturned = llvm::any_of(user->getUsers(),
                                     [](Operation *reader) { return isa<func::ReturnOp>(reader); });
      return ", transposed after each call: " + std::to_string(bytesOf(output)) + " bytes; " +
             (isReturned ? "the caller" : "its reader") + " needs it in another order";
    }
    return ", read by a kernel of our own" + functionText(user);
  }
  return {};
}

static LibraryKernel readKernel(Operation *op, const GpuTarget &target) {
  LibraryKernel kernel;
  if (auto forced = op->getAttrOfType<StringAttr>(plan::forcedKernelAttribute)) {
    kernel.forced = forced.str();
  }
  for (Operation &inside : op->getRegion(0).front()) {
    if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(inside)) {
      kernel.source = plan::sourceOf(inside.getLoc());
      kernel.shape = typeText(inside.getOperand(0)) + " x " + typeText(inside.getOperand(1)) +
                     " -> " + typeText(inside.getResult(0));
    }
  }
  for (OpOperand &input : op->getOpOperands()) {
    kernel.inputs.push_back(typeText(input.get()) + " = " + inputText(input, target));
  }
  for (Value output : op->getResults()) {
    kernel.outputs.push_back(typeText(output) + readerText(output));
  }
  if (auto call = dyn_cast<plan::LibraryCallOp>(op)) {
    kernel.call = plan::libraryCallOf(call, target);
  } else {
    kernel.own = plan::ownKernelOf(cast<plan::GemmOp>(op)).value_or(plan::OwnKernelReason());
  }
  return kernel;
}

std::vector<LibraryKernel> libraryKernels(ModuleOp module, const GpuTarget &target) {
  std::vector<LibraryKernel> kernels;
  module.walk([&](Operation *op) {
    if (plan::kernelKindOf(op) == plan::KernelKind::gemm) {
      kernels.push_back(readKernel(op, target));
    }
  });
  return kernels;
}

} // namespace drumlin

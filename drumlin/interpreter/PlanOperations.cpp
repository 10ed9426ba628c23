#include "drumlin/interpreter/PlanOperations.h"

#include "drumlin/interpreter/Frame.h"
#include "drumlin/ir/plan/PlanDialect.h"

namespace drumlin {

using Tensors = std::vector<Tensor>;

// A kernel computes what its region says, on whole tensors.
static Result<Tensors> runKernelForming(mlir::Operation *op, Tensors operands, Frame &frame) {
  return frame.run(op->getRegion(0), std::move(operands));
}

static Result<Tensors> runLaunch(mlir::Operation *op, Tensors operands, Frame &frame) {
  auto launch = mlir::cast<plan::LaunchOp>(op);
  auto kernel = frame.lookup<plan::KernelOp>(launch, launch.getKernelAttr());
  if (!kernel) {
    return diagnose(DiagnosticCode::InterpreterUnsupported,
                    "launches `" + launch.getKernel().str() +
                        "`, which is no kernel of this module");
  }
  return frame.run(kernel.getBody(), std::move(operands));
}

static Result<Tensors> runBitcast(mlir::Operation *op, Tensors operands, Frame &) {
  auto type = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  return Tensors{operands[0].withShape(Shape(type.getShape()))};
}

static Result<Tensors> runCopy(mlir::Operation *, Tensors operands, Frame &) { return operands; }

const InterpreterTable &planOperations() {
  static const InterpreterTable table = [] {
    InterpreterTable made = standardOperations();
    for (const char *kind : {"plan.loop", "plan.gemm", "plan.sort", "plan.scatter", "plan.window",
                             "plan.fft", "plan.library_call"}) {
      made.add(kind, runKernelForming);
    }
    made.add("plan.launch", runLaunch);
    made.add("plan.bitcast", runBitcast);
    made.add("plan.copy", runCopy);
    return made;
  }();
  return table;
}

} // namespace drumlin

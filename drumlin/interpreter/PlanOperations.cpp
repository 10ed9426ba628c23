#include "drumlin/interpreter/PlanOperations.h"

#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/HostCalls.h"
#include "drumlin/interpreter/ValueTypes.h"
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

// Operands and results lie in memory as the code takes them. Complex numbers are one element to it,
// and two here.
static Result<Tensors> runHostCall(mlir::Operation *op, Tensors operands, Frame &frame) {
  auto host = mlir::cast<plan::HostCallOp>(op);
  Result<Tensors> results = Tensors();
  switch (host.getInterface()) {
  case plan::HostInterface::infeed:
    results = frame.grid().readInfeed();
    break;
  case plan::HostInterface::outfeed:
    frame.grid().writeOutfeed(std::move(operands));
    break;
  case plan::HostInterface::send:
    frame.grid().send("channel " + host.getTarget().str(), std::move(operands));
    break;
  case plan::HostInterface::recv:
    results = frame.grid().receive(frame.process(), "channel " + host.getTarget().str());
    break;
  default: {
    Result<HostCall> call = describeHostCall(op);
    if (!call) {
      return call.error();
    }
    if (!frame.hostCaller()) {
      return diagnose(DiagnosticCode::InterpreterUnsupported,
                      "the interpreter doesn't know the code `@" + host.getTarget().str() + "`");
    }
    results = callHost(*call, std::move(operands), *frame.hostCaller());
  }
  }
  if (!results) {
    return results;
  }
  for (auto [tensor, type] : llvm::zip(*results, op->getResultTypes())) {
    auto wanted = mlir::cast<mlir::RankedTensorType>(type);
    bool isSplit = isComplex(tensor.type()) && heldTypeOf(wanted) != tensor.type();
    tensor = (isSplit ? complexParts(tensor) : tensor).withShape(Shape(wanted.getShape()));
  }
  return results;
}

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
    made.add("plan.host_call", runHostCall);
    return made;
  }();
  return table;
}

} // namespace drumlin

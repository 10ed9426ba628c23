#include "drumlin/interpreter/PlanOperations.h"

#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/InterpretedCalls.h"
#include "drumlin/interpreter/StandardOperations.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/ir/plan/HostCallOp.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/SizeOp.h"
#include "drumlin/support/Exchange.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include <map>

namespace drumlin {

using Tensors = std::vector<Tensor>;

// Runs a kernel's region on full tensors.
static Result<Tensors> runKernelForming(mlir::Operation *op, Tensors operands, Frame &frame) {
  return frame.run(op->getRegion(0), std::move(operands));
}

static Result<Tensors> runLaunch(mlir::Operation *op, Tensors operands, Frame &frame) {
  auto launch = mlir::cast<plan::LaunchOp>(op);
  auto kernel = frame.lookup<plan::KernelOp>(launch, launch.getKernelAttr());
  if (!kernel) {
    return diagnose(errors::InterpreterUnsupported, "launches `" + launch.getKernel().str() +
                                                        "`, which is not a kernel of this module");
  }
  return frame.run(kernel.getBody(), std::move(operands));
}

static Result<Tensors> runBitcast(mlir::Operation *op, Tensors operands, Frame &) {
  auto type = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
  return Tensors{operands[0].withShape(Shape(type.getShape()))};
}

static Result<Tensors> runSize(mlir::Operation *op, const Tensors &, Frame &) {
  auto size = mlir::cast<plan::SizeOp>(op);
  bool isWide = mlir::getElementTypeOrSelf(size.getType()).isInteger(64);
  Tensor made(isWide ? ElementType::SI64 : ElementType::SI32, {});
  if (isWide) {
    *made.as<int64_t>() = size.getValue().front();
  } else {
    *made.as<int32_t>() = static_cast<int32_t>(size.getValue().front());
  }
  return Tensors{made};
}

static Result<Tensors> runCopy(mlir::Operation *, Tensors operands, Frame &) { return operands; }

static std::string channelText(const std::string &name, int64_t from, int64_t to) {
  return name + " from process " + std::to_string(from) + " to " + std::to_string(to);
}

// Sends this process's operands to every process that reads them, and receives the operands that
// this process reads.
static Result<Tensors> exchange(const HostCall &call, const Tensors &operands, Frame &frame) {
  GridShape shape = frame.grid().shape();
  Result<ExchangeTable> table = exchangeTableOf(call, shape.processes());
  if (!table) {
    return table.error();
  }
  int64_t self = frame.process().flattened(shape);
  for (int64_t taker : table->takersOf(self)) {
    frame.grid().send(channelText(call.target, self, taker), operands);
  }
  std::map<int64_t, Tensors> taken = {{self, operands}};
  for (int64_t giver : table->giversOf(self)) {
    Result<Tensors> received =
        frame.grid().receive(frame.process(), channelText(call.target, giver, self));
    if (!received) {
      return received;
    }
    taken[giver] = std::move(*received);
  }
  std::map<int64_t, std::vector<void *>> buffers;
  for (auto &[process, tensors] : taken) {
    for (Tensor &tensor : tensors) {
      buffers[process].push_back(tensor.data());
    }
  }
  auto take = [&](const HostCall &, HostBuffers own, HostBuffers results) {
    return takeOperands(call, *table, self, own, results,
                        [&](int64_t process) { return HostBuffers(buffers[process]); });
  };
  return callHost(call, operands, take);
}

static Tensor processNumber(const std::string &what, Frame &frame) {
  Tensor number(ElementType::UI32, {});
  *number.as<uint32_t>() = frame.process().number(what, frame.grid().shape());
  return number;
}

// Runs `send` and `recv`, with the host or with the process that the call names.
static Result<Tensors> transfer(const HostCall &call, Tensors operands, Frame &frame) {
  GridShape shape = frame.grid().shape();
  Result<std::vector<int64_t>> peers = peersOf(call, shape.processes());
  if (!peers) {
    return peers.error();
  }
  bool sends = call.interface == HostInterface::Send;
  int64_t self = frame.process().flattened(shape);
  int64_t peer = peers->empty() ? self : (*peers)[static_cast<size_t>(self)];
  std::string channel = "channel " + call.target;
  if (peer < 0) {
    // No process sends to this process, so its results are zeros.
    auto nothing = [](const HostCall &, HostBuffers, HostBuffers) -> Status { return Done(); };
    return callHost(call, std::move(operands), nothing);
  }
  if (!peers->empty()) {
    channel = sends ? channelText(channel, self, peer) : channelText(channel, peer, self);
  }
  if (sends) {
    frame.grid().send(channel, std::move(operands));
    return Tensors();
  }
  return frame.grid().receive(frame.process(), channel);
}

// Calls host code with operands and results in the memory layout that the code expects. The code
// sees a complex number as one element; a plan tensor holds it as two elements.
static Result<Tensors> runHostCall(mlir::Operation *op, Tensors operands, Frame &frame) {
  auto host = mlir::cast<plan::HostCallOp>(op);
  Result<Tensors> results = Tensors();
  Result<HostCall> call = describeHostCall(op);
  if (!call) {
    return call.error();
  }
  switch (host.getInterface()) {
  case plan::HostInterface::infeed:
    results = frame.grid().readInfeed();
    break;
  case plan::HostInterface::outfeed:
    frame.grid().writeOutfeed(std::move(operands));
    break;
  case plan::HostInterface::send:
  case plan::HostInterface::recv:
    results = transfer(*call, std::move(operands), frame);
    break;
  case plan::HostInterface::exchange:
    results = exchange(*call, operands, frame);
    break;
  case plan::HostInterface::process:
    results = Tensors{processNumber(call->target, frame)};
    break;
  default: {
    if (!frame.hostCaller()) {
      return diagnose(errors::InterpreterUnsupported,
                      "the interpreter can't call the code `@" + host.getTarget().str() + "`");
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
    for (uint32_t kind = 0; kind <= plan::getMaxEnumValForKernelKind(); ++kind) {
      made.add(("plan." + plan::stringifyKernelKind(plan::KernelKind(kind))).str(),
               runKernelForming);
    }
    made.add("plan.library_call", runKernelForming);
    made.add("plan.launch", runLaunch);
    made.add("plan.bitcast", runBitcast);
    made.add("plan.copy", runCopy);
    made.add("plan.host_call", runHostCall);
    made.add("plan.size", runSize);
    return made;
  }();
  return table;
}

} // namespace drumlin

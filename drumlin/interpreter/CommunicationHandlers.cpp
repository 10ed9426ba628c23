// Tokens, streams, channels and asynchronous operations. The interpreter runs operations in program
// order, so tokens carry no data.
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/interpreter/kernels/Collectives.h"
#include "drumlin/ir/stablehlo/AfterAllOp.h"
#include "drumlin/ir/stablehlo/AsyncDoneOp.h"
#include "drumlin/ir/stablehlo/AsyncStartOp.h"
#include "drumlin/ir/stablehlo/CreateTokenOp.h"
#include "drumlin/ir/stablehlo/InfeedOp.h"
#include "drumlin/ir/stablehlo/OutfeedOp.h"
#include "drumlin/ir/stablehlo/RecvOp.h"
#include "drumlin/ir/stablehlo/SendOp.h"

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

// Returns the pair in which this process is the source or the target, or nothing if there is none.
// The channel's kind decides whether the pairs list replica ids or partition ids.
static std::optional<std::pair<int64_t, int64_t>>
findPair(const std::optional<mlir::DenseIntElementsAttr> &pairs, bool asSource, int64_t channel,
         Frame &frame) {
  bool acrossPartitions = strategyOf(channel) == GroupStrategy::CrossPartition;
  int64_t self = acrossPartitions ? frame.process().partition : frame.process().replica;
  auto ids = pairs->getValues<int64_t>();
  for (size_t i = 0; i + 1 < ids.size(); i += 2) {
    if (ids[asSource ? i : i + 1] == self) {
      return std::pair<int64_t, int64_t>{ids[i], ids[i + 1]};
    }
  }
  return std::nullopt;
}

static std::string channelName(int64_t channel, bool isHost,
                               const std::optional<std::pair<int64_t, int64_t>> &pair,
                               Frame &frame) {
  std::string name = "channel " + std::to_string(channel);
  if (isHost || !pair) {
    return name;
  }
  // A pair of partition ids connects processes of one replica; a pair of replica ids connects
  // processes of one partition.
  bool acrossPartitions = strategyOf(channel) == GroupStrategy::CrossPartition;
  int64_t other = acrossPartitions ? frame.process().replica : frame.process().partition;
  return name + " from " + std::to_string(pair->first) + " to " + std::to_string(pair->second) +
         (acrossPartitions ? " of replica " : " of partition ") + std::to_string(other);
}

static Result<Tensors> sendValues(stablehlo::SendOp op, Tensors &operands, Frame &frame) {
  int64_t channel = op.getChannelHandle().getHandle();
  std::optional<mlir::DenseIntElementsAttr> pairs = op.getSourceTargetPairs();
  bool isHost = op.getIsHostTransfer() || !pairs || pairs->empty();
  std::optional<std::pair<int64_t, int64_t>> pair;
  if (!isHost) {
    pair = findPair(pairs, /*asSource=*/true, channel, frame);
    if (!pair) {
      return Tensors();
    }
  }
  frame.grid().send(channelName(channel, isHost, pair, frame), std::move(operands));
  return Tensors();
}

static Result<Tensors> receiveValues(stablehlo::RecvOp op, Tensors &, Frame &frame) {
  int64_t channel = op.getChannelHandle().getHandle();
  std::optional<mlir::DenseIntElementsAttr> pairs = op.getSourceTargetPairs();
  bool isHost = op.getIsHostTransfer() || !pairs || pairs->empty();
  std::optional<std::pair<int64_t, int64_t>> pair;
  if (!isHost) {
    pair = findPair(pairs, /*asSource=*/false, channel, frame);
    if (!pair) {
      // No process sends to this process, so its results are zeros.
      Tensors results;
      for (mlir::RankedTensorType type :
           tensorTypesOf(op->getResultTypes()).value_or(TensorTypes())) {
        Result<Tensor> zero = zeros(heldTypeOf(type).value_or(ElementType::F32),
                                    Shape(type.getShape()), frame.kernels());
        if (!zero) {
          return zero.error();
        }
        results.push_back(std::move(*zero));
      }
      return results;
    }
  }
  return frame.grid().receive(frame.process(), channelName(channel, isHost, pair, frame));
}

static Result<Tensors> passOn(mlir::Operation *, Tensors operands, Frame &) { return operands; }

void addCommunicationHandlers(InterpreterTable &table) {
  for (llvm::StringRef name :
       {stablehlo::AfterAllOp::getOperationName(), stablehlo::CreateTokenOp::getOperationName(),
        stablehlo::AsyncDoneOp::getOperationName()}) {
    table.add(name, passOn);
  }
  add<stablehlo::AsyncStartOp>(table,
                               [](stablehlo::AsyncStartOp op, Tensors &operands, Frame &frame) {
                                 return frame.run(op.getBody(), std::move(operands));
                               });
  add<stablehlo::InfeedOp>(table, [](stablehlo::InfeedOp, Tensors &, Frame &frame) {
    return frame.grid().readInfeed();
  });
  add<stablehlo::OutfeedOp>(
      table, [](stablehlo::OutfeedOp, Tensors &operands, Frame &frame) -> Result<Tensors> {
        frame.grid().writeOutfeed(std::move(operands));
        return Tensors();
      });
  add<stablehlo::RecvOp>(table, receiveValues);
  add<stablehlo::SendOp>(table, sendValues);
}

} // namespace drumlin::interpreter

#include "drumlin/export/hlo/ExportOperations.h"
#include "drumlin/export/hlo/ExportWriter.h"
#include "drumlin/ir/stablehlo/AllToAllOp.h"
#include "drumlin/ir/stablehlo/CollectivePermuteOp.h"
#include "drumlin/ir/stablehlo/InfeedOp.h"
#include "drumlin/ir/stablehlo/OutfeedOp.h"
#include "drumlin/ir/stablehlo/RecvOp.h"
#include "drumlin/ir/stablehlo/ReplicaGroups.h"
#include "drumlin/ir/stablehlo/SendOp.h"

using namespace mlir;

namespace drumlin::hlo {

static std::string channelText(Operation *op) {
  auto channel = op->getAttrOfType<stablehlo::ChannelHandleAttr>("channel_handle");
  return channel ? ", channel_id=" + std::to_string(channel.getHandle()) : "";
}

// Returns attributes such as `, channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true`.
static std::string groupsText(Writer &writer, Operation *op) {
  std::string problem;
  ScopedDiagnosticHandler handler(op->getContext(), [&](mlir::Diagnostic &diagnostic) {
    problem = diagnostic.str();
    return success();
  });
  FailureOr<stablehlo::IdGroups> groups =
      stablehlo::idGroupsOf([&] { return op->emitOpError(); }, op, op->getAttr("replica_groups"));
  if (failed(groups)) {
    writer.fail(op, "the groups of processes can't be listed: " + problem);
    return {};
  }
  std::string text;
  for (const auto &group : *groups) {
    text += (text.empty() ? "" : ",") + braces(group);
  }
  return channelText(op) + ", replica_groups={" + text + "}" +
         (op->hasAttr("use_global_device_ids") ? ", use_global_device_ids=true" : "");
}

static std::string dimensionText(Operation *op, StringRef attribute) {
  return ", dimensions=" + braces(op->getAttrOfType<IntegerAttr>(attribute).getInt());
}

void writeAllGather(Writer &writer, Operation *op, StringRef opcode) {
  writer.write(op, opcode, writer.list(op->getOperands()),
               groupsText(writer, op) + dimensionText(op, "all_gather_dim"));
}

void writeAllReduce(Writer &writer, Operation *op, StringRef opcode) {
  std::string computation = writer.scalarComputation(op->getRegion(0), "region");
  writer.write(op, opcode, writer.list(op->getOperands()),
               groupsText(writer, op) + ", to_apply=" + computation);
}

void writeReduceScatter(Writer &writer, Operation *op, StringRef opcode) {
  std::string computation = writer.scalarComputation(op->getRegion(0), "region");
  writer.write(op, opcode, writer.list(op->getOperands()),
               groupsText(writer, op) + dimensionText(op, "scatter_dimension") +
                   ", to_apply=" + computation);
}

void writeCollectiveBroadcast(Writer &writer, Operation *op, StringRef opcode) {
  writer.write(op, opcode, writer.list(op->getOperands()), groupsText(writer, op));
}

void writeCollectivePermute(Writer &writer, Operation *op, StringRef opcode) {
  auto permute = cast<stablehlo::CollectivePermuteOp>(op);
  auto ids = llvm::to_vector(permute.getSourceTargetPairs().getValues<int64_t>());
  std::string pairs;
  for (size_t i = 0; i + 1 < ids.size(); i += 2) {
    pairs += (i ? "," : "") + braces({ids[i], ids[i + 1]});
  }
  writer.write(op, opcode, writer.list(op->getOperands()),
               channelText(op) + ", source_target_pairs={" + pairs + "}");
}

//===-- exchange ------------------------------------------------------------------------------===//

// Writes a `slice` that takes the part with the given index along a dimension. Returns the slice's
// name.
static std::string sliceOf(Writer &writer, Operation *op, mlir::Value array, RankedTensorType part,
                           size_t dimension, int64_t index) {
  std::string ranges;
  for (auto [i, size] : llvm::enumerate(part.getShape())) {
    int64_t start = i == dimension ? index * size : 0;
    ranges += (i ? ", [" : "[") + std::to_string(start) + ":" + std::to_string(start + size) + "]";
  }
  return writer.add(op, "slice", writer.shapeOf(op, Type(part)), writer.name(array),
                    ", slice={" + ranges + "}");
}

// Writes an exchange. In HLO, each part is an operand. StableHLO's operand is therefore split into
// parts along one dimension, and the received parts are concatenated along a dimension that may
// differ.
void writeAllToAll(Writer &writer, Operation *op, StringRef opcode) {
  auto exchange = cast<stablehlo::AllToAllOp>(op);
  auto split = static_cast<size_t>(exchange.getSplitDimension());
  auto count = static_cast<int64_t>(exchange.getSplitCount());
  for (auto [operand, result] : llvm::zip_equal(op->getOperands(), op->getResults())) {
    auto whole = cast<RankedTensorType>(operand.getType());
    SmallVector<int64_t> sizes(whole.getShape());
    sizes[split] /= count;
    auto part = RankedTensorType::get(sizes, whole.getElementType());
    std::string parts;
    for (int64_t i = 0; i < count; ++i) {
      parts += (i ? ", " : "") + sliceOf(writer, op, operand, part, split, i);
    }
    SmallVector<Type> types(static_cast<size_t>(count), part);
    Type tuple = TupleType::get(op->getContext(), types);
    std::string exchanged =
        writer.add(op, opcode, writer.shapeOf(op, tuple), parts, groupsText(writer, op));
    std::string received;
    for (int64_t i = 0; i < count; ++i) {
      received += (i ? ", " : "") + writer.element(op, exchanged, part, static_cast<size_t>(i));
    }
    writer.define(result, writer.add(op, "concatenate", writer.shapeOf(op, result.getType()),
                                     received, dimensionText(op, "concat_dimension")));
  }
}

//===-- the host and other devices ------------------------------------------------------------===//

// Returns the name of the values to send: a single array, or a tuple.
static std::string joined(Writer &writer, Operation *op, ValueRange values) {
  return values.size() == 1 ? writer.name(values.front()) : writer.tuple(op, values);
}

// Returns the type of the values of a transfer: a single array, or a tuple.
static Type joinedType(Operation *op, TypeRange types) {
  return types.size() == 1 ? types.front() : TupleType::get(op->getContext(), types);
}

// Defines the operation's results as the elements of `from`, a tuple (data, token).
static void takeApart(Writer &writer, Operation *op, const std::string &from) {
  ResultRange data = op->getResults().drop_back();
  Type type = joinedType(op, data.getTypes());
  std::string all = writer.element(op, from, type, 0);
  for (auto [i, result] : llvm::enumerate(data)) {
    writer.define(result, data.size() == 1 ? all : writer.element(op, all, result.getType(), i));
  }
  mlir::Value token = op->getResults().back();
  writer.define(token, writer.element(op, from, token.getType(), 1));
}

void writeInfeed(Writer &writer, Operation *op, StringRef opcode) {
  auto infeed = cast<stablehlo::InfeedOp>(op);
  Type data = joinedType(op, TypeRange(op->getResultTypes()).drop_back());
  Type shape = TupleType::get(op->getContext(), {data, infeed.getToken().getType()});
  std::string config = infeed.getInfeedConfig().str();
  takeApart(writer, op,
            writer.add(op, opcode, writer.shapeOf(op, shape), writer.name(infeed.getToken()),
                       config.empty() ? "" : ", infeed_config=" + inQuotes(config)));
}

void writeOutfeed(Writer &writer, Operation *op, StringRef opcode) {
  auto outfeed = cast<stablehlo::OutfeedOp>(op);
  std::string data = joined(writer, op, outfeed.getInputs());
  std::string shape = writer.shapeOf(op, joinedType(op, TypeRange(outfeed.getInputs())));
  std::string config = outfeed.getOutfeedConfig().str();
  writer.write(op, opcode, data + ", " + writer.name(outfeed.getToken()),
               ", outfeed_shape=" + shape +
                   (config.empty() ? "" : ", outfeed_config=" + inQuotes(config)));
}

// Returns the type of a transfer's start: (data, context, token).
static Type transferType(Operation *op, Type data, Type token) {
  auto context =
      RankedTensorType::get({}, IntegerType::get(op->getContext(), 32, IntegerType::Unsigned));
  return TupleType::get(op->getContext(), {data, context, token});
}

static std::string transferText(Operation *op, bool isHostTransfer) {
  return channelText(op) + (isHostTransfer ? ", is_host_transfer=true" : "");
}

void writeSend(Writer &writer, Operation *op, StringRef opcode) {
  auto send = cast<stablehlo::SendOp>(op);
  std::string data = joined(writer, op, send.getInputs());
  Type token = send.getToken().getType();
  Type shape = transferType(op, joinedType(op, TypeRange(send.getInputs())), token);
  std::string attributes = transferText(op, send.getIsHostTransfer());
  std::string started = writer.add(op, opcode, writer.shapeOf(op, shape),
                                   data + ", " + writer.name(send.getToken()), attributes);
  writer.write(op, "send-done", started, attributes);
}

void writeRecv(Writer &writer, Operation *op, StringRef opcode) {
  auto recv = cast<stablehlo::RecvOp>(op);
  Type token = recv.getToken().getType();
  Type data = joinedType(op, TypeRange(op->getResultTypes()).drop_back());
  std::string attributes = transferText(op, recv.getIsHostTransfer());
  std::string started = writer.add(op, opcode, writer.shapeOf(op, transferType(op, data, token)),
                                   writer.name(recv.getToken()), attributes);
  Type done = TupleType::get(op->getContext(), {data, token});
  takeApart(writer, op, writer.add(op, "recv-done", writer.shapeOf(op, done), started, attributes));
}

} // namespace drumlin::hlo

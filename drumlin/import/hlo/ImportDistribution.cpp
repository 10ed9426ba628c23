#include "drumlin/import/hlo/Emitter.h"
#include "drumlin/import/hlo/ImportOpcodes.h"
#include "drumlin/import/hlo/ImportWindows.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

using namespace mlir;

namespace drumlin::hlo {

// The values of StableHLO's ChannelType.
static constexpr int64_t deviceToDevice = 1, deviceToHost = 2, hostToDevice = 3;

// Returns the attributes shared by all collective operations, which determine the participating
// processes.
static SmallVector<NamedAttribute> groupAttributes(Emitter &emitter) {
  SmallVector<NamedAttribute> attributes;
  attributes.push_back(emitter.named("replica_groups", readGroups(emitter, OfAll::Empty)));
  emitter.boolean("constrain_layout"); // ignored: layouts aren't part of the program
  if (emitter.boolean("use_global_device_ids")) {
    attributes.push_back(emitter.named("use_global_device_ids", emitter.ops().getUnitAttr()));
  }
  return attributes;
}

// Adds the channel if the instruction has one, since its presence affects which processes
// participate. StableHLO requires a positive channel number. Only XLA's passes distinguish the
// numbers.
static void addChannel(Emitter &emitter, SmallVectorImpl<NamedAttribute> &attributes) {
  if (emitter.attribute("channel_id")) {
    int64_t channel = std::max<int64_t>(emitter.integer("channel_id"), 1);
    attributes.push_back(emitter.named(
        "channel_handle",
        stablehlo::ChannelHandleAttr::get(emitter.context(), channel, deviceToDevice)));
  }
}

// Finishes a start instruction. Its shape is (operands, results, contexts), where contexts are
// unused and zero, or only the results.
static void finishStarted(Emitter &emitter, const Leaves &operands, const Leaves &results) {
  SmallVector<Type> types = emitter.resultTypes();
  if (types.size() == results.size()) {
    emitter.finish(results);
    return;
  }
  Leaves all(operands);
  llvm::append_range(all, results);
  for (size_t i = all.size(); i < types.size() && !emitter.failed(); ++i) {
    all.push_back(emitter.zero(types[i]));
  }
  emitter.finish(all);
}

// Finishes with an operation that has one result for each operand.
static void finishCollective(Emitter &emitter, StringRef operation, bool isStart,
                             llvm::ArrayRef<NamedAttribute> attributes) {
  Leaves operands = emitter.allLeaves();
  SmallVector<Type> types = emitter.resultTypes();
  size_t begin = isStart && types.size() > operands.size() ? operands.size() : 0;
  if (begin + operands.size() > types.size()) {
    emitter.fail(errors::ProgramInvalid,
                 "`" + emitter.instruction().opcode + "` has fewer results than operands");
    return;
  }
  auto own = ArrayRef<Type>(types).slice(begin, operands.size());
  Operation *made = emitter.create(operation, operands, own, attributes);
  if (!made) {
    return;
  }
  Leaves results = llvm::to_vector<1>(mlir::ValueRange(made->getResults()));
  if (isStart) {
    finishStarted(emitter, operands, results);
  } else {
    emitter.finish(results);
  }
}

void emitAllGather(Emitter &emitter, llvm::StringRef form) {
  SmallVector<NamedAttribute> attributes = groupAttributes(emitter);
  addChannel(emitter, attributes);
  attributes.push_back(emitter.i64("all_gather_dim", emitter.oneDimension()));
  finishCollective(emitter, "stablehlo.all_gather", form == "start", attributes);
}

// Returns the operation that a collective's computation applies to its two parameters; nullopt for
// other computations. XLA only uses this operation and ignores the computation's types, since some
// of its passes change an operand's type without changing the computation's.
static std::optional<OpcodeRule> kindOf(Emitter &emitter, const Computation &computation) {
  const Instruction &root = *computation.root();
  bool isPair = computation.instructions.size() == 3 && root.operands.size() == 2 &&
                root.operands[0].instruction != root.operands[1].instruction;
  auto rule = isPair ? findOpcode(root.opcode, emitter.context()) : std::nullopt;
  return rule && rule->emit == emitElementwise ? rule : std::nullopt;
}

static void fillReduction(Emitter &emitter, Region &region, const Computation &computation,
                          Type element) {
  std::optional<OpcodeRule> kind = kindOf(emitter, computation);
  if (!kind || toMlirType(*computation.root()->shape.elementType(), emitter.context()) == element) {
    emitter.fillScalarRegion(region, computation);
    return;
  }
  OpBuilder &builder = emitter.ops();
  OpBuilder::InsertionGuard guard(builder);
  auto scalar = RankedTensorType::get({}, element);
  Block *block =
      builder.createBlock(&region, region.end(), {scalar, scalar}, {emitter.loc(), emitter.loc()});
  Operation *made = emitter.create(kind->operation, block->getArguments(), scalar);
  emitter.create("stablehlo.return", made->getResults(), {});
}

// Creates one operation per operand, since StableHLO's `reduce_scatter` has a single operand, and
// its `all_reduce` needs operands of the same type.
static void finishReductions(Emitter &emitter, StringRef operation, bool isStart,
                             llvm::ArrayRef<NamedAttribute> attributes) {
  const Computation *computation = emitter.computation("to_apply");
  Leaves operands = emitter.allLeaves(), results;
  SmallVector<Type> types = emitter.resultTypes();
  if (isStart && types.size() > operands.size()) {
    types.erase(types.begin(), types.begin() + static_cast<ptrdiff_t>(operands.size()));
  }
  for (auto [operand, type] : llvm::zip(operands, types)) {
    Operation *made = emitter.create(operation, {operand}, type, attributes, /*regions=*/1);
    if (!made) {
      return;
    }
    fillReduction(emitter, made->getRegion(0), *computation, getElementTypeOrSelf(operand));
    results.push_back(made->getResult(0));
  }
  if (isStart) {
    finishStarted(emitter, operands, results);
  } else {
    emitter.finish(results);
  }
}

void emitAllReduce(Emitter &emitter, llvm::StringRef form) {
  SmallVector<NamedAttribute> attributes = groupAttributes(emitter);
  addChannel(emitter, attributes);
  finishReductions(emitter, "stablehlo.all_reduce", form == "start", attributes);
}

void emitReduceScatter(Emitter &emitter, llvm::StringRef) {
  SmallVector<NamedAttribute> attributes = groupAttributes(emitter);
  addChannel(emitter, attributes);
  attributes.push_back(emitter.i64("scatter_dimension", emitter.oneDimension()));
  finishReductions(emitter, "stablehlo.reduce_scatter", /*isStart=*/false, attributes);
}

//===-- exchange ------------------------------------------------------------------------------===//

static SmallVector<NamedAttribute> exchangeAttributes(Emitter &emitter, int64_t dimension,
                                                      int64_t parts) {
  OpBuilder &builder = emitter.ops();
  SmallVector<NamedAttribute> attributes = {
      emitter.named("replica_groups", readGroups(emitter, OfAll::Listed)),
      emitter.named("split_dimension", builder.getI64IntegerAttr(dimension)),
      emitter.named("concat_dimension", builder.getI64IntegerAttr(dimension)),
      emitter.named("split_count", builder.getI64IntegerAttr(parts))};
  emitter.boolean("constrain_layout");
  addChannel(emitter, attributes);
  return attributes;
}

// Converts the form of `all-to-all` that has an operand and a result for each process. Emits one
// exchange of the concatenated operands.
static void emitExchangeOfTuple(Emitter &emitter) {
  SmallVector<Type> types = emitter.resultTypes();
  Leaves operands = emitter.allLeaves();
  auto type = types.empty() ? RankedTensorType() : dyn_cast<RankedTensorType>(types.front());
  if (!type || !type.hasStaticShape() || types.size() != operands.size() ||
      !llvm::all_equal(types) || operands.front().getType() != type) {
    emitter.fail(errors::ProgramInvalid,
                 "`all-to-all` without dimensions needs operands and results of the same shape");
    return;
  }
  OpBuilder &builder = emitter.ops();
  auto parts = static_cast<int64_t>(operands.size());
  SmallVector<int64_t> sizes(type.getShape());
  sizes.insert(sizes.begin(), 1);
  auto part = RankedTensorType::get(sizes, type.getElementType());
  SmallVector<mlir::Value> rows;
  for (mlir::Value operand : operands) {
    rows.push_back(emitter.create("stablehlo.reshape", {operand}, part)->getResult(0));
  }
  sizes.front() = parts;
  auto whole = RankedTensorType::get(sizes, type.getElementType());
  Operation *joined = emitter.create("stablehlo.concatenate", rows, whole,
                                     emitter.named("dimension", builder.getI64IntegerAttr(0)));
  Operation *exchanged = emitter.create("stablehlo.all_to_all", joined->getResults(), whole,
                                        exchangeAttributes(emitter, 0, parts));
  Leaves results;
  for (int64_t i = 0; i < parts && exchanged; ++i) {
    SmallVector<int64_t> start(sizes.size(), 0), limit(sizes), strides(sizes.size(), 1);
    start.front() = i;
    limit.front() = i + 1;
    auto list = [&](StringRef name, ArrayRef<int64_t> values) {
      return emitter.named(name, builder.getDenseI64ArrayAttr(values));
    };
    Operation *row = emitter.create(
        "stablehlo.slice", exchanged->getResults(), part,
        {list("start_indices", start), list("limit_indices", limit), list("strides", strides)});
    results.push_back(emitter.create("stablehlo.reshape", row->getResults(), type)->getResult(0));
  }
  emitter.finish(results);
}

void emitAllToAll(Emitter &emitter, llvm::StringRef) {
  if (!emitter.attribute("dimensions")) {
    emitExchangeOfTuple(emitter);
    return;
  }
  DenseIntElementsAttr groups = readGroups(emitter, OfAll::Listed);
  int64_t parts = groups.getType().getShape()[1];
  finishCollective(emitter, "stablehlo.all_to_all", /*isStart=*/false,
                   exchangeAttributes(emitter, emitter.oneDimension(), parts));
}

// Creates one operation per operand, since StableHLO's operations have a single operand.
static void finishEach(Emitter &emitter, StringRef operation, bool isStart,
                       llvm::ArrayRef<NamedAttribute> attributes) {
  Leaves operands = emitter.allLeaves(), results;
  for (mlir::Value operand : operands) {
    Operation *made =
        operand ? emitter.create(operation, {operand}, operand.getType(), attributes) : nullptr;
    if (!made) {
      return;
    }
    results.push_back(made->getResult(0));
  }
  if (isStart) {
    finishStarted(emitter, operands, results);
  } else {
    emitter.finish(results);
  }
}

void emitCollectiveBroadcast(Emitter &emitter, llvm::StringRef) {
  SmallVector<NamedAttribute> attributes = {
      emitter.named("replica_groups", readGroups(emitter, OfAll::Listed))};
  addChannel(emitter, attributes);
  finishEach(emitter, "stablehlo.collective_broadcast", /*isStart=*/false, attributes);
}

// Fails if there are `slice_sizes`: slices of the first operand are then written into the second,
// which StableHLO can't express.
void emitCollectivePermute(Emitter &emitter, llvm::StringRef form) {
  if (emitter.instruction().find("slice_sizes")) {
    emitter.fail(errors::UnsupportedAttribute, "attribute `slice_sizes` of `" +
                                                   emitter.instruction().opcode +
                                                   "` isn't supported");
    return;
  }
  SmallVector<NamedAttribute> attributes = {
      emitter.named("source_target_pairs", readPairs(emitter))};
  addChannel(emitter, attributes);
  finishEach(emitter, "stablehlo.collective_permute", form == "start", attributes);
}

void emitSecondPart(Emitter &emitter, llvm::StringRef) {
  llvm::ArrayRef<mlir::Value> leaves = emitter.operand(0);
  size_t count = emitter.resultTypes().size();
  if (!emitter.failed() && leaves.size() == count) {
    return emitter.finish(leaves); // a start whose shape is only its results
  }
  // The leaves of the start are its operands, followed by an equal number of results.
  if (emitter.failed() || leaves.size() < 2 * count) {
    emitter.fail(errors::ProgramInvalid,
                 "operand 0 of `" + emitter.instruction().opcode + "` isn't the matching start");
    return;
  }
  emitter.finish(leaves.slice(count, count));
}

//===-- the host ------------------------------------------------------------------------------===//

void emitInfeed(Emitter &emitter, llvm::StringRef) {
  auto config = emitter.ops().getStringAttr(emitter.word("infeed_config"));
  emitter.finish("stablehlo.infeed", emitter.allLeaves(), emitter.named("infeed_config", config));
}

void emitOutfeed(Emitter &emitter, llvm::StringRef) {
  emitter.attribute("outfeed_shape"); // repeats the operand's shape
  auto config = emitter.ops().getStringAttr(emitter.word("outfeed_config"));
  emitter.finish("stablehlo.outfeed", emitter.allLeaves(), emitter.named("outfeed_config", config));
}

// Reads attributes such as `channel_id=1, is_host_transfer=true`. `hostType`: the channel type of
// host transfers, which depends on the direction.
static SmallVector<NamedAttribute> transferAttributes(Emitter &emitter, int64_t hostType) {
  bool isHost = emitter.boolean("is_host_transfer");
  SmallVector<NamedAttribute> attributes = {
      emitter.named("channel_handle", stablehlo::ChannelHandleAttr::get(
                                          emitter.context(), emitter.integer("channel_id", 0),
                                          isHost ? hostType : deviceToDevice)),
      emitter.named("is_host_transfer", emitter.ops().getBoolAttr(isHost))};
  if (emitter.attribute("source_target_pairs")) {
    attributes.push_back(emitter.named("source_target_pairs", readPairs(emitter)));
  }
  return attributes;
}

// Converts `send`. The result is the tuple (sent values, context, token).
void emitSend(Emitter &emitter, llvm::StringRef) {
  SmallVector<NamedAttribute> attributes = transferAttributes(emitter, deviceToHost);
  Leaves sent = emitter.allLeaves();
  SmallVector<Type> types = emitter.resultTypes();
  if (emitter.failed() || sent.empty() || types.size() != sent.size() + 1) {
    emitter.fail(errors::ProgramInvalid,
                 "the shape of `send` must have the sent values, a context and a token");
    return;
  }
  Operation *made = emitter.create("stablehlo.send", sent, types.back(), attributes);
  sent.back() = emitter.zero(types[types.size() - 2]);
  if (made) {
    sent.push_back(made->getResult(0));
    emitter.finish(sent);
  }
}

// Converts `recv`. The result is the tuple (received values, context, token).
void emitRecv(Emitter &emitter, llvm::StringRef) {
  SmallVector<NamedAttribute> attributes = transferAttributes(emitter, hostToDevice);
  SmallVector<Type> types = emitter.resultTypes();
  if (emitter.failed() || types.size() < 2) {
    emitter.fail(errors::ProgramInvalid,
                 "the shape of `recv` must have the received values, a context and a token");
    return;
  }
  size_t context = types.size() - 2;
  SmallVector<Type> own(types);
  own.erase(own.begin() + static_cast<ptrdiff_t>(context));
  Operation *made = emitter.create("stablehlo.recv", emitter.allLeaves(), own, attributes);
  if (made) {
    Leaves received = llvm::to_vector<1>(mlir::ValueRange(made->getResults()));
    received.insert(received.begin() + static_cast<ptrdiff_t>(context),
                    emitter.zero(types[context]));
    emitter.finish(received);
  }
}

// Finishes with the start's results without the context; for `send-done`, with only the token.
void emitTransferDone(Emitter &emitter, llvm::StringRef) {
  transferAttributes(emitter, deviceToDevice);
  Leaves leaves = emitter.allLeaves();
  size_t count = emitter.resultTypes().size();
  if (emitter.failed() || leaves.size() < 2 || (count != 1 && count + 1 != leaves.size())) {
    emitter.fail(errors::ProgramInvalid,
                 "operand 0 of `" + emitter.instruction().opcode + "` isn't the matching start");
    return;
  }
  if (count == 1) {
    emitter.finish(leaves.back());
    return;
  }
  leaves.erase(leaves.end() - 2);
  emitter.finish(leaves);
}

} // namespace drumlin::hlo

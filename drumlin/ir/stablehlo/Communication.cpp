// Textual forms and verifiers of tokens, streams, channels and asynchronous operations.
#include "drumlin/ir/stablehlo/CollectiveOps.h"
#include "drumlin/ir/stablehlo/CommunicationOps.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/ReplicaGroups.h"
#include "drumlin/ir/stablehlo/SliceOp.h"

using namespace mlir;

// Parses `!stablehlo.token` if the operands and the result are tokens, as in every verified
// program, else a functional type.
static ParseResult parseTokenTypes(OpAsmParser &parser,
                                   const SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
                                   SmallVectorImpl<Type> &types, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result)) {
    return failure();
  }
  auto function = dyn_cast<FunctionType>(result);
  if (!function) {
    types.assign(operands.size(), result);
    return success();
  }
  if (function.getNumResults() != 1) {
    return parser.emitError(loc) << "expected 1 result type, got " << function.getNumResults();
  }
  types.assign(function.getInputs().begin(), function.getInputs().end());
  result = function.getResult(0);
  return success();
}

static void printTokenTypes(OpAsmPrinter &printer, Operation *, OperandRange, TypeRange types,
                            Type result) {
  if (llvm::all_of(types, [&](Type type) { return type == result; })) {
    printer << result;
    return;
  }
  printer.printFunctionalType(types, TypeRange(result));
}

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Communication.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addCommunicationOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Communication.cpp.inc"
      >();
}

//===-- infeed, recv, send --------------------------------------------------------------------===//

// Checks the results of operations that receive data: the received tensors, then a token.
static LogicalResult checkPayload(EmitError emit, StringRef count, StringRef payload,
                                  StringRef token, TypeRange results) {
  if (results.empty()) {
    return emit() << "expects at least one result (" << count << ")";
  }
  for (Type type : results.drop_back()) {
    if (!isa<RankedTensorType>(type)) {
      return emit() << "expects tensors before the last result, got " << type << " (" << payload
                    << ")";
    }
  }
  if (!isa<TokenType>(results.back())) {
    return emit() << "expects a token as the last result, got " << results.back() << " (" << token
                  << ")";
  }
  return success();
}

LogicalResult InfeedOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // infeed_c1, infeed_c2, infeed_c3
  if (failed(checkPayload(emit, "infeed_c1", "infeed_c2", "infeed_c3", getResultTypes()))) {
    return failure();
  }
  // Layouts are lists of dimensions. The specification leaves their meaning to implementations.
  std::optional<ArrayAttr> layouts = getLayout();
  if (!layouts) {
    return success();
  }
  if (failed(checkSize(emit, "infeed_layout", "layouts", layouts->size(), getNumResults() - 1))) {
    return failure();
  }
  for (Attribute layout : *layouts) {
    auto dimensions = dyn_cast<ArrayAttr>(layout);
    if (!dimensions || !llvm::all_of(dimensions, llvm::IsaPred<IntegerAttr>)) {
      return emitOpError() << "expects layouts that are arrays of integers, got " << layout
                           << " (infeed_layout)";
    }
  }
  return success();
}

// Values of a channel handle's field `type`.
static constexpr int64_t deviceToDevice = 1;
static constexpr int64_t deviceToHost = 2;
static constexpr int64_t hostToDevice = 3;

static LogicalResult checkChannelType(EmitError emit, StringRef label, ChannelHandleAttr handle,
                                      bool isHostTransfer, int64_t hostType, StringRef hostName) {
  int64_t expected = isHostTransfer ? hostType : deviceToDevice;
  if (handle.getType() != expected) {
    return emit() << "expects channel_type " << (isHostTransfer ? hostName : "DEVICE_TO_DEVICE")
                  << " (" << expected
                  << ") with is_host_transfer = " << (isHostTransfer ? "true" : "false") << ", got "
                  << handle.getType() << " (" << label << ")";
  }
  return success();
}

LogicalResult RecvOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // recv_c5
  if (failed(checkChannelType(emit, "recv_c5", getChannelHandle(), getIsHostTransfer(),
                              hostToDevice, "HOST_TO_DEVICE"))) {
    return failure();
  }
  // recv_c1, recv_c2, recv_c3, recv_c4
  if (std::optional<DenseIntElementsAttr> pairs = getSourceTargetPairs()) {
    if (failed(checkPairs(emit, {"recv_c1", "recv_c2", "recv_c3", "recv_c4"}, *pairs))) {
      return failure();
    }
  }
  return checkPayload(emit, "recv_o1", "recv_o1", "recv_o1", getResultTypes());
}

LogicalResult SendOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // send_c5
  if (failed(checkChannelType(emit, "send_c5", getChannelHandle(), getIsHostTransfer(),
                              deviceToHost, "DEVICE_TO_HOST"))) {
    return failure();
  }
  // send_c1, send_c2, send_c3, send_c4
  std::optional<DenseIntElementsAttr> pairs = getSourceTargetPairs();
  return pairs ? checkPairs(emit, {"send_c1", "send_c2", "send_c3", "send_c4"}, *pairs) : success();
}

//===-- async_start, async_done ---------------------------------------------------------------===//

LogicalResult AsyncStartOp::verify() {
  auto emit = [&] { return emitOpError(); };
  Block &block = getBody().front();
  // async_start_c1
  FailureOr<OperandRange> returned = returnedValues(emit, "async_start_c1", "the body", getBody());
  if (failed(returned)) {
    return failure();
  }
  if (!llvm::hasNItems(block, 2)) {
    return emitOpError() << "expects one operation and a return in the body, got "
                         << llvm::range_size(block) << " operations (async_start_c1)";
  }
  Operation &operation = block.front();
  // async_start_c2
  if (!isa<AllReduceOp, AllGatherOp, AllToAllOp, CollectivePermuteOp, ReduceScatterOp,
           CollectiveBroadcastOp, SliceOp, DynamicSliceOp, DynamicUpdateSliceOp>(operation)) {
    return emitOpError() << "expects a collective or a slice in the body, got `"
                         << operation.getName() << "` (async_start_c2)";
  }
  // async_start_c3
  if (failed(checkTypes(emit, "async_start_c3", "body arguments", block.getArgumentTypes(),
                        getOperandTypes()))) {
    return failure();
  }
  // async_start_c4
  return checkTypes(emit, "async_start_c4", "a future", cast<FutureType>(getType()).getTypes(),
                    returned->getTypes());
}

LogicalResult AsyncDoneOp::verify() {
  // async_done_c1
  return checkTypes([&] { return emitOpError(); }, "async_done_c1", "results", getResultTypes(),
                    cast<FutureType>(getOperand().getType()).getTypes());
}

} // namespace drumlin::stablehlo

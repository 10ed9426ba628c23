// Verifiers of collectives.
#include "drumlin/ir/stablehlo/CollectiveOps.h"
#include "drumlin/ir/stablehlo/ReplicaGroups.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Collective.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addCollectiveOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Collective.cpp.inc"
      >();
}

//===-- shared constraints --------------------------------------------------------------------===//

// Checks the specification's rule that channel_id > 0 if use_global_device_ids = true.
static LogicalResult checkChannel(EmitError emit, StringRef label, bool useGlobalDeviceIds,
                                  std::optional<ChannelHandleAttr> handle) {
  if (useGlobalDeviceIds && channelOf(handle) <= 0) {
    return emit() << "expects a positive channel_id with use_global_device_ids, got "
                  << channelOf(handle) << " (" << label << ")";
  }
  return success();
}

// Checks that the program defines the mesh that replica groups refer to by symbol.
static LogicalResult checkMesh(Operation *op, Attribute groups, SymbolTableCollection &symbols) {
  auto axes = dyn_cast<ReplicaGroupMeshAxesAttr>(groups);
  auto symbol = axes ? dyn_cast<FlatSymbolRefAttr>(axes.getMesh()) : FlatSymbolRefAttr();
  if (symbol && !symbols.lookupNearestSymbolFrom(op, symbol)) {
    return op->emitOpError() << "expects a mesh that the program defines, got " << symbol;
  }
  return success();
}

// Returns the number of processes per group if the operation determines it, that is, for groups of
// processes or of replicas of one partition. Nothing for groups over all partitions, groups of
// different sizes, and the default group of all processes.
static std::optional<int64_t> groupSize(Attribute groups, bool useGlobalDeviceIds,
                                        std::optional<ChannelHandleAttr> handle) {
  auto list = dyn_cast<DenseIntElementsAttr>(groups);
  if (!list || list.empty() || (channelOf(handle) > 0 && !useGlobalDeviceIds)) {
    return std::nullopt;
  }
  return cast<ShapedType>(list.getType()).getDimSize(1);
}

// Checks that shapes are equal except in one dimension.
static LogicalResult checkOtherSizes(EmitError emit, StringRef label, RankedTensorType operand,
                                     RankedTensorType result, int64_t except) {
  SmallVector<int64_t> expected(operand.getShape());
  if (result.getRank() == operand.getRank()) {
    expected[except] = result.getDimSize(except);
  }
  return checkShape(emit, label, "a result", result.getShape(), expected);
}

// Checks the computation of a collective, which combines two scalars. According to the
// specification, a collective has a single computation for all operands.
static LogicalResult checkComputation(EmitError emit, StringRef label, StringRef resultLabel,
                                      StringRef shapeLabel, Region &computation,
                                      ValueRange operands, ValueRange results) {
  for (auto [operand, result] : llvm::zip_equal(operands, results)) {
    FailureOr<SmallVector<Type>> element =
        checkReducer(emit, label, "the computation", computation, operand.getType());
    if (failed(element) ||
        failed(checkShape(emit, shapeLabel, "a result", shapeOf(result), shapeOf(operand))) ||
        failed(checkElementType(emit, resultLabel, "a result", result.getType(), (*element)[0]))) {
      return failure();
    }
  }
  return success();
}

// Returns the operands that hold data: all of them or, if the root is dynamic, all but the last.
// The last operand then has, for each data operand, the number of the root process within its
// group.
static FailureOr<ValueRange> dataOperands(EmitError emit, StringRef label, StringRef rootLabel,
                                          ValueRange operands, bool hasDynamicRoot) {
  if (operands.size() < (hasDynamicRoot ? 2 : 1)) {
    return emit() << "expects at least " << (hasDynamicRoot ? "two operands" : "one operand")
                  << ", got " << operands.size() << " (" << (hasDynamicRoot ? rootLabel : label)
                  << ")";
  }
  if (!hasDynamicRoot) {
    return operands;
  }
  ValueRange data = operands.drop_back();
  auto root = cast<RankedTensorType>(operands.back().getType());
  Type expected = RankedTensorType::get({static_cast<int64_t>(data.size())},
                                        IntegerType::get(root.getContext(), 32));
  if (failed(
          checkType(emit, rootLabel, "the last operand, which names the roots,", root, expected))) {
    return failure();
  }
  return data;
}

//===-- all_gather ----------------------------------------------------------------------------===//

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkMesh(*this, getReplicaGroups(), symbols);
}

LogicalResult AllGatherOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // all_gather_i3, all_gather_c2, all_gather_c3, all_gather_c4
  if (failed(checkGroups(emit, {"all_gather_i3", "all_gather_c2", "all_gather_c4"},
                         getReplicaGroups())) ||
      // all_gather_c5
      failed(checkChannel(emit, "all_gather_c5", getUseGlobalDeviceIds(), getChannelHandle())) ||
      // all_gather_c6
      failed(checkSize(emit, "all_gather_c6", "results", getNumResults(), getNumOperands()))) {
    return failure();
  }
  auto dimension = static_cast<int64_t>(getAllGatherDim());
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults())) {
    auto from = cast<RankedTensorType>(operand.getType());
    auto to = cast<RankedTensorType>(result.getType());
    // all_gather_c1
    if (failed(checkInRange(emit, "all_gather_c1", "all_gather_dim", dimension, from.getRank())) ||
        // all_gather_c6
        failed(checkElementType(emit, "all_gather_c6", "a result", to, from)) ||
        failed(checkOtherSizes(emit, "all_gather_c6", from, to, dimension))) {
      return failure();
    }
    int64_t part = from.getDimSize(dimension), whole = to.getDimSize(dimension);
    if (isDynamic(part) || isDynamic(whole)) {
      continue;
    }
    // The number of processes per group follows from the grid of processes, which is known only at
    // run time. So only the interpreter can check the exact size of the result. The verifier
    // accepts any multiple of the operand's size, like other implementations.
    if (part == 0 ? whole != 0 : whole % part != 0) {
      return emitOpError() << "expects a result with a multiple of the operand's size in dimension "
                           << dimension << ", got " << whole << " from " << part
                           << " (all_gather_c6)";
    }
  }
  return success();
}

//===-- all_reduce, cross-replica-sum, collective_reduce, reduce_scatter ----------------------===//

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkMesh(*this, getReplicaGroups(), symbols);
}

LogicalResult AllReduceOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // all_reduce_i2, all_reduce_c1, all_reduce_c2, all_reduce_c3
  if (failed(checkGroups(emit, {"all_reduce_i2", "all_reduce_c1", "all_reduce_c3", true},
                         getReplicaGroups())) ||
      // all_reduce_c4
      failed(checkChannel(emit, "all_reduce_c4", getUseGlobalDeviceIds(), getChannelHandle()))) {
    return failure();
  }
  auto groups = dyn_cast<DenseIntElementsAttr>(getReplicaGroups());
  if (getUseGlobalDeviceIds() && groups && groups.empty()) {
    return emitOpError() << "expects groups of all processes with use_global_device_ids, got none "
                            "(all_reduce_c2)";
  }
  // all_reduce_c6
  if (failed(checkSize(emit, "all_reduce_c6", "results", getNumResults(), getNumOperands()))) {
    return failure();
  }
  // all_reduce_c5, all_reduce_c6, all_reduce_c7
  return checkComputation(emit, "all_reduce_c5", "all_reduce_c7", "all_reduce_c6", getComputation(),
                          getOperands(), getResults());
}

LogicalResult CrossReplicaSumOp::verify() {
  auto emit = [&] { return emitOpError(); };
  return success(
      succeeded(checkGroups(
          emit, {"cross-replica-sum_i2", "cross-replica-sum_c1", "cross-replica-sum_c2", true},
          getReplicaGroupsAttr())) &&
      succeeded(checkType(emit, "cross-replica-sum_c3", "the result", getType(),
                          getOperand().getType())));
}

LogicalResult CollectiveReduceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkMesh(*this, getReplicaGroups(), symbols);
}

LogicalResult CollectiveReduceOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // collective_reduce_i2, collective_reduce_c1, collective_reduce_c2
  if (failed(checkGroups(
          emit, {"collective_reduce_i2", "collective_reduce_c1", "collective_reduce_c2", true},
          getReplicaGroups())) ||
      failed(checkChannel(emit, "collective_reduce_i3", getUseGlobalDeviceIds(),
                          getChannelHandle()))) {
    return failure();
  }
  // collective_reduce_c3
  FailureOr<ValueRange> data = dataOperands(emit, "collective_reduce_c3", "collective_reduce_c3",
                                            getOperands(), getHasDynamicRoot());
  if (failed(data) ||
      failed(checkSize(emit, "collective_reduce_c3", "results", getNumResults(), data->size()))) {
    return failure();
  }
  // collective_reduce_c4
  return checkComputation(emit, "collective_reduce_c4", "collective_reduce_c4",
                          "collective_reduce_c3", getComputation(), *data, getResults());
}

LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkMesh(*this, getReplicaGroups(), symbols);
}

LogicalResult ReduceScatterOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // reduce_scatter_i3, reduce_scatter_c3, reduce_scatter_c4, reduce_scatter_c5
  if (failed(checkGroups(emit, {"reduce_scatter_i3", "reduce_scatter_c3", "reduce_scatter_c5"},
                         getReplicaGroups())) ||
      // reduce_scatter_c6
      failed(
          checkChannel(emit, "reduce_scatter_c6", getUseGlobalDeviceIds(), getChannelHandle()))) {
    return failure();
  }
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getType());
  auto dimension = static_cast<int64_t>(getScatterDimension());
  // reduce_scatter_c7
  FailureOr<SmallVector<Type>> element =
      checkReducer(emit, "reduce_scatter_c7", "the computation", getComputation(), Type(from));
  if (failed(element) ||
      // reduce_scatter_c2
      failed(checkInRange(emit, "reduce_scatter_c2", "scatter_dimension", dimension,
                          from.getRank())) ||
      // reduce_scatter_c8, reduce_scatter_c9
      failed(checkOtherSizes(emit, "reduce_scatter_c8", from, to, dimension)) ||
      failed(checkElementType(emit, "reduce_scatter_c9", "the result", to, (*element)[0]))) {
    return failure();
  }
  int64_t whole = from.getDimSize(dimension), part = to.getDimSize(dimension);
  if (isDynamic(whole) || isDynamic(part)) {
    return success();
  }
  std::optional<int64_t> processes =
      groupSize(getReplicaGroups(), getUseGlobalDeviceIds(), getChannelHandle());
  // reduce_scatter_c1
  if (processes && whole % *processes != 0) {
    return emitOpError() << "expects a size in dimension " << dimension << " that " << *processes
                         << " processes can share, got " << whole << " (reduce_scatter_c1)";
  }
  bool isNothing = part == 0 && whole == 0;
  bool fits = isNothing || (part > 0 && whole > 0 && whole % part == 0 &&
                            (!processes || whole / part == *processes));
  if (!fits) {
    return emitOpError() << "expects a result with an equal share of the operand's size in "
                            "dimension "
                         << dimension << ", got " << part << " from " << whole
                         << " (reduce_scatter_c8)";
  }
  return success();
}

//===-- all_to_all ----------------------------------------------------------------------------===//

LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkMesh(*this, getReplicaGroups(), symbols);
}

static int64_t scaled(int64_t size, int64_t factor) {
  return isDynamic(size) ? size : size * factor;
}
static int64_t shared(int64_t size, int64_t count) { return isDynamic(size) ? size : size / count; }

LogicalResult AllToAllOp::verify() {
  auto emit = [&] { return emitOpError(); };
  auto split = static_cast<int64_t>(getSplitDimension());
  auto concat = static_cast<int64_t>(getConcatDimension());
  auto count = static_cast<int64_t>(getSplitCount());
  // all_to_all_i5, all_to_all_c5, all_to_all_c6, all_to_all_c7
  if (failed(checkGroups(emit, {"all_to_all_i5", "all_to_all_c5", "all_to_all_c7"},
                         getReplicaGroups())) ||
      // all_to_all_c4
      failed(checkAtLeast(emit, "all_to_all_c4", "split_count", count, 1)) ||
      // all_to_all_c9
      failed(checkSize(emit, "all_to_all_c9", "results", getNumResults(), getNumOperands()))) {
    return failure();
  }
  // all_to_all_c8
  if (auto groups = dyn_cast<DenseIntElementsAttr>(getReplicaGroups())) {
    ArrayRef<int64_t> shape = cast<ShapedType>(groups.getType()).getShape();
    if (shape[0] == 0 || shape[1] != count) {
      return emitOpError() << "expects groups of split_count processes, got "
                           << (shape[0] == 0 ? 0 : shape[1]) << " and " << count
                           << " (all_to_all_c8)";
    }
  }
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults())) {
    auto from = cast<RankedTensorType>(operand.getType());
    auto to = cast<RankedTensorType>(result.getType());
    // all_to_all_c1, all_to_all_c3
    if (failed(checkInRange(emit, "all_to_all_c1", "split_dimension", split, from.getRank())) ||
        failed(checkInRange(emit, "all_to_all_c3", "concat_dimension", concat, from.getRank()))) {
      return failure();
    }
    // all_to_all_c2
    int64_t size = from.getDimSize(split);
    if (!isDynamic(size) && size % count != 0) {
      return emitOpError() << "expects a multiple of split_count in dimension " << split << ", got "
                           << size << " and " << count << " (all_to_all_c2)";
    }
    int64_t joined = from.getDimSize(concat);
    if (!isDynamic(joined) && joined > std::numeric_limits<int64_t>::max() / count) {
      return emitOpError() << "expects a result whose size fits in 64 bits (all_to_all_c9)";
    }
    // all_to_all_c9
    SmallVector<int64_t> expected(from.getShape());
    if (split != concat) {
      expected[split] = shared(expected[split], count);
      expected[concat] = scaled(expected[concat], count);
    }
    if (failed(checkElementType(emit, "all_to_all_c9", "a result", to, from)) ||
        failed(checkShape(emit, "all_to_all_c9", "a result", to.getShape(), expected))) {
      return failure();
    }
  }
  return success();
}

//===-- collective_broadcast, collective_permute ----------------------------------------------===//

LogicalResult CollectiveBroadcastOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return checkMesh(*this, getReplicaGroups(), symbols);
}

LogicalResult CollectiveBroadcastOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // collective_broadcast_c1, collective_broadcast_c2
  if (failed(checkGroups(emit, {"collective_broadcast_c2", "collective_broadcast_c1", ""},
                         getReplicaGroups()))) {
    return failure();
  }
  // collective_broadcast_c3, collective_broadcast_c4
  FailureOr<ValueRange> data =
      dataOperands(emit, "collective_broadcast_c3", "collective_broadcast_c4", getOperands(),
                   getHasDynamicRoot());
  if (failed(data)) {
    return failure();
  }
  // collective_broadcast_c5
  if (failed(
          checkSize(emit, "collective_broadcast_c5", "results", getNumResults(), data->size()))) {
    return failure();
  }
  return checkTypes(emit,
                    getHasDynamicRoot() ? "collective_broadcast_c4" : "collective_broadcast_c3",
                    "results", getResultTypes(), data->getTypes());
}

LogicalResult CollectivePermuteOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // collective_permute_c1, collective_permute_c2, collective_permute_c3, collective_permute_c4
  if (failed(checkPairs(emit,
                        {"collective_permute_c1", "collective_permute_c2", "collective_permute_c3",
                         "collective_permute_c4"},
                        getSourceTargetPairs()))) {
    return failure();
  }
  // collective_permute_c5
  return checkType(emit, "collective_permute_c5", "the result", getType(), getOperand().getType());
}

} // namespace drumlin::stablehlo

// Operations that the processes of a group compute together, and process ids.
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/interpreter/kernels/Collectives.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/ir/stablehlo/AllGatherOp.h"
#include "drumlin/ir/stablehlo/AllReduceOp.h"
#include "drumlin/ir/stablehlo/AllToAllOp.h"
#include "drumlin/ir/stablehlo/CollectiveBroadcastOp.h"
#include "drumlin/ir/stablehlo/CollectivePermuteOp.h"
#include "drumlin/ir/stablehlo/CollectiveReduceOp.h"
#include "drumlin/ir/stablehlo/CrossReplicaSumOp.h"
#include "drumlin/ir/stablehlo/PartitionIdOp.h"
#include "drumlin/ir/stablehlo/ReduceScatterOp.h"
#include "drumlin/ir/stablehlo/ReplicaGroups.h"
#include "drumlin/ir/stablehlo/ReplicaIdOp.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include "llvm/ADT/TypeSwitch.h"

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

//===-- groups --------------------------------------------------------------------------------===//

// The group that this process belongs to, and its index in the group.
struct Membership {
  ProcessGroup group;
  size_t index = 0;
};

static Result<std::vector<ProcessGroup>> groupsOf(mlir::Operation *op, mlir::Attribute ids,
                                                  GroupStrategy strategy, Frame &frame) {
  std::string error;
  mlir::ScopedDiagnosticHandler handler(op->getContext(), [&](mlir::Diagnostic &diagnostic) {
    error = diagnostic.str();
    return mlir::success();
  });
  mlir::FailureOr<stablehlo::IdGroups> groups =
      stablehlo::idGroupsOf([&] { return op->emitError(); }, op, ids);
  if (mlir::failed(groups)) {
    return diagnose(errors::ProcessGridMismatch, error);
  }
  std::vector<std::vector<int64_t>> lists;
  for (const auto &group : *groups) {
    lists.emplace_back(group.begin(), group.end());
  }
  return processGroups(strategy, lists, frame.grid().shape());
}

// Returns this process's group and index, or nothing if it is in no group.
static Result<std::optional<Membership>> findMembership(mlir::Operation *op, mlir::Attribute ids,
                                                        GroupStrategy strategy, Frame &frame) {
  Result<std::vector<ProcessGroup>> groups = groupsOf(op, ids, strategy, frame);
  if (!groups) {
    return groups.error();
  }
  std::optional<GroupPosition> position = positionOf(frame.process(), *groups);
  if (!position) {
    return std::optional<Membership>();
  }
  return std::optional(Membership{(*groups)[position->group], position->index});
}

// Returns the name of the specification's constraint that each process must be in a group, or an
// empty text if the operation has no such constraint.
static std::string sizeLabel(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, const char *>(op)
      .Case<stablehlo::AllGatherOp>([](auto) { return " (all_gather_c3)"; })
      .Case<stablehlo::AllReduceOp>([](auto) { return " (all_reduce_c2)"; })
      .Case<stablehlo::AllToAllOp>([](auto) { return " (all_to_all_c6)"; })
      .Case<stablehlo::ReduceScatterOp>([](auto) { return " (reduce_scatter_c4)"; })
      .Default([](auto) { return ""; });
}

static Result<Membership> membershipOf(mlir::Operation *op, mlir::Attribute ids,
                                       GroupStrategy strategy, Frame &frame) {
  Result<std::optional<Membership>> found = findMembership(op, ids, strategy, frame);
  if (!found) {
    return found.error();
  }
  if (!*found) {
    return diagnose(errors::ProcessGridMismatch,
                    "process " + frame.process().str() + " is in no group of `" +
                        op->getName().getStringRef().str() + "`" + sizeLabel(op));
  }
  return **found;
}

// Returns the operands of all processes of the group, in the group's order. Processes exchange
// operands in operations that have the same name and channel.
static Result<std::vector<Tensors>> exchange(mlir::Operation *op, int64_t channel,
                                             const ProcessGroup &group, Tensors brought,
                                             Frame &frame) {
  std::string name = op->getName().getStringRef().str() + " on channel " + std::to_string(channel);
  return frame.grid().exchange(frame.process(), name, group, std::move(brought));
}

// Returns operand k of each process.
static Tensors column(const std::vector<Tensors> &all, size_t k) {
  Tensors tensors;
  for (const Tensors &each : all) {
    tensors.push_back(each[k]);
  }
  return tensors;
}

// Gathers the operands of all processes of the group, and computes result k from operand k of each
// process.
template <typename Fn>
static Result<Tensors> together(mlir::Operation *op, int64_t channel, const Membership &membership,
                                Tensors &operands, Frame &frame, Fn compute) {
  size_t count = operands.size();
  Result<std::vector<Tensors>> all =
      exchange(op, channel, membership.group, std::move(operands), frame);
  if (!all) {
    return all.error();
  }
  for (const Tensors &each : *all) {
    if (each.size() != count) {
      return diagnose(errors::ProcessGridMismatch, "processes of one group passed " +
                                                       std::to_string(count) + " and " +
                                                       std::to_string(each.size()) + " operands");
    }
  }
  Tensors results;
  for (size_t k = 0; k < count; ++k) {
    Tensors tensors = column(*all, k);
    for (const Tensor &tensor : tensors) {
      if (tensor.type() != tensors.front().type() || tensor.rank() != tensors.front().rank()) {
        return diagnose(errors::ProcessGridMismatch, "processes of one group passed " +
                                                         str(tensors.front()) + " and " +
                                                         str(tensor));
      }
    }
    Result<Tensor> result = compute(tensors);
    if (!result) {
      return result.error();
    }
    results.push_back(std::move(*result));
  }
  return results;
}

//===-- gathering and reducing ----------------------------------------------------------------===//

// Returns the grouping strategy of an operation that has use_global_device_ids.
template <typename Op> static GroupStrategy globalStrategyOf(Op op) {
  return strategyOf(stablehlo::channelOf(op.getChannelHandle()), op.getUseGlobalDeviceIds());
}

static Result<Tensors> gatherAll(stablehlo::AllGatherOp op, Tensors &operands, Frame &frame) {
  Result<Membership> membership =
      membershipOf(op, op.getReplicaGroups(), globalStrategyOf(op), frame);
  if (!membership) {
    return membership.error();
  }
  Result<Tensors> results = together(
      op, stablehlo::channelOf(op.getChannelHandle()), *membership, operands, frame,
      [&](const Tensors &tensors) {
        return allGather(tensors, static_cast<int64_t>(op.getAllGatherDim()), frame.kernels());
      });
  if (!results) {
    return results;
  }
  auto dimension = static_cast<int64_t>(op.getAllGatherDim());
  for (auto [tensor, type] : llvm::zip_equal(*results, op.getResultTypes())) {
    int64_t stated = llvm::cast<mlir::RankedTensorType>(type).getDimSize(dimension);
    if (!mlir::ShapedType::isDynamic(stated) && stated != tensor.dim(dimension)) {
      return diagnose(errors::ProcessGridMismatch,
                      "`stablehlo.all_gather` among " + std::to_string(membership->group.size()) +
                          " processes makes " + std::to_string(tensor.dim(dimension)) +
                          " elements along dimension " + std::to_string(dimension) + ", expected " +
                          std::to_string(stated) + " (all_gather_c6)");
    }
  }
  return results;
}

static Result<Tensors> reduceAll(stablehlo::AllReduceOp op, Tensors &operands, Frame &frame) {
  Result<Membership> membership =
      membershipOf(op, op.getReplicaGroups(), globalStrategyOf(op), frame);
  if (!membership) {
    return membership.error();
  }
  ReductionBody body = frame.reductionBody(op.getComputation());
  return together(
      op, stablehlo::channelOf(op.getChannelHandle()), *membership, operands, frame,
      [&](const Tensors &tensors) { return allReduce(tensors, body, frame.kernels()); });
}

static Result<Tensors> sumOverReplicas(stablehlo::CrossReplicaSumOp op, Tensors &operands,
                                       Frame &frame) {
  Result<Membership> membership =
      membershipOf(op, op.getReplicaGroupsAttr(), GroupStrategy::CrossReplica, frame);
  if (!membership) {
    return membership.error();
  }
  ReductionBody body;
  body.types = {computedTypeOf(op.getType())};
  body.operation = BinaryOperation::Add;
  return together(op, 0, *membership, operands, frame, [&](const Tensors &tensors) {
    return allReduce(tensors, body, frame.kernels());
  });
}

static Result<Tensors> reduceThenScatter(stablehlo::ReduceScatterOp op, Tensors &operands,
                                         Frame &frame) {
  Result<Membership> membership =
      membershipOf(op, op.getReplicaGroups(), globalStrategyOf(op), frame);
  if (!membership) {
    return membership.error();
  }
  ReductionBody body = frame.reductionBody(op.getComputation());
  return together(op, stablehlo::channelOf(op.getChannelHandle()), *membership, operands, frame,
                  [&](const Tensors &tensors) {
                    return reduceScatter(tensors, membership->index,
                                         static_cast<int64_t>(op.getScatterDimension()), body,
                                         frame.kernels());
                  });
}

static Result<Tensors> exchangeParts(stablehlo::AllToAllOp op, Tensors &operands, Frame &frame) {
  int64_t channel = stablehlo::channelOf(op.getChannelHandle());
  Result<Membership> membership =
      membershipOf(op, op.getReplicaGroups(), strategyOf(channel), frame);
  if (!membership) {
    return membership.error();
  }
  return together(op, channel, *membership, operands, frame, [&](const Tensors &tensors) {
    return allToAll(tensors, membership->index, static_cast<int64_t>(op.getSplitDimension()),
                    static_cast<int64_t>(op.getConcatDimension()),
                    static_cast<int64_t>(op.getSplitCount()), frame.kernels());
  });
}

//===-- one to all, all to one, pairs ---------------------------------------------------------===//

// Returns zeros of the shape of `like`: the result of a process that receives nothing.
static Result<Tensor> zerosOf(mlir::Type type, const Tensor &like, Frame &frame) {
  Result<Tensor> zero =
      zeros(heldTypeOf(type).value_or(like.type()), like.shape(), frame.kernels());
  auto quantization = quantizationOf(llvm::cast<mlir::RankedTensorType>(type));
  if (!zero || !quantization) {
    return zero;
  }
  Result<Tensor> numbers = zeros(quantization->expressed, like.shape(), frame.kernels());
  return numbers ? quantize(*numbers, *quantization, frame.kernels()) : numbers;
}

static Result<Tensors> allZeros(mlir::Operation *op, const Tensors &operands, size_t count,
                                Frame &frame) {
  Tensors results;
  for (size_t k = 0; k < count; ++k) {
    Result<Tensor> zero =
        zerosOf(op->getResult(static_cast<unsigned>(k)).getType(), operands[k], frame);
    if (!zero) {
      return zero.error();
    }
    results.push_back(std::move(*zero));
  }
  return results;
}

// Returns the root process of operand k, as an index in the group.
static Result<size_t> rootOf(const Tensors &operands, size_t k, bool isDynamic, size_t groupSize) {
  int64_t root = isDynamic ? integerAt(operands.back(), static_cast<int64_t>(k)) : 0;
  if (root < 0 || root >= static_cast<int64_t>(groupSize)) {
    return diagnose(errors::ProcessGridMismatch,
                    "a root " + std::to_string(root) + " is out of range in a group of " +
                        std::to_string(groupSize) + " processes (collective_broadcast_c6)");
  }
  return static_cast<size_t>(root);
}

// Computes this process's results of a rooted collective. `take(all, k, isRoot, root)` returns
// result k from the operands of all processes of the group.
template <typename Op, typename Take>
static Result<Tensors> withRoots(Op op, GroupStrategy strategy, Tensors &operands, Frame &frame,
                                 Take take) {
  Result<std::optional<Membership>> membership =
      findMembership(op, op.getReplicaGroups(), strategy, frame);
  if (!membership) {
    return membership.error();
  }
  size_t count = op.getNumResults();
  if (!*membership) {
    return allZeros(op, operands, count, frame);
  }
  const ProcessGroup &group = (*membership)->group;
  Result<std::vector<Tensors>> all =
      exchange(op, stablehlo::channelOf(op.getChannelHandle()), group, operands, frame);
  if (!all) {
    return all.error();
  }
  Tensors results;
  for (size_t k = 0; k < count; ++k) {
    Result<size_t> root = rootOf(operands, k, op.getHasDynamicRoot(), group.size());
    if (!root) {
      return root.error();
    }
    Result<Tensor> result = take(*all, k, (*membership)->index == *root, *root);
    if (!result) {
      return result.error();
    }
    results.push_back(std::move(*result));
  }
  return results;
}

static Result<Tensors> broadcastFromRoot(stablehlo::CollectiveBroadcastOp op, Tensors &operands,
                                         Frame &frame) {
  GroupStrategy strategy = strategyOf(stablehlo::channelOf(op.getChannelHandle()));
  return withRoots(op, strategy, operands, frame,
                   [](const std::vector<Tensors> &all, size_t k, bool, size_t root) {
                     return Result<Tensor>(all[root][k]);
                   });
}

// Reduces to the group's root; all other processes get zeros.
static Result<Tensors> reduceToRoot(stablehlo::CollectiveReduceOp op, Tensors &operands,
                                    Frame &frame) {
  GroupStrategy strategy = op.getUseGlobalDeviceIds()
                               ? GroupStrategy::FlattenedIds
                               : strategyOf(stablehlo::channelOf(op.getChannelHandle()));
  ReductionBody body = frame.reductionBody(op.getComputation());
  return withRoots(op, strategy, operands, frame,
                   [&](const std::vector<Tensors> &all, size_t k, bool isRoot, size_t) {
                     return isRoot ? allReduce(column(all, k), body, frame.kernels())
                                   : zerosOf(op->getResult(static_cast<unsigned>(k)).getType(),
                                             operands[k], frame);
                   });
}

// Sends operands along the source-target pairs. All processes handle the pairs in the same order:
// otherwise two processes might wait for each other.
static Result<Tensors> permute(stablehlo::CollectivePermuteOp op, Tensors &operands, Frame &frame) {
  int64_t channel = stablehlo::channelOf(op.getChannelHandle());
  bool acrossPartitions = strategyOf(channel) == GroupStrategy::CrossPartition;
  const GridShape &grid = frame.grid().shape();
  const ProcessId &self = frame.process();
  auto process = [&](int64_t id) {
    return acrossPartitions ? ProcessId{self.replica, id} : ProcessId{id, self.partition};
  };
  int64_t bound = acrossPartitions ? grid.partitions : grid.replicas;
  std::optional<Tensor> received;
  auto ids = op.getSourceTargetPairs().getValues<int64_t>();
  for (size_t i = 0; i + 1 < ids.size(); i += 2) {
    int64_t source = ids[i], target = ids[i + 1];
    if (source >= bound || target >= bound) {
      return diagnose(errors::ProcessGridMismatch,
                      "a pair names " + std::to_string(std::max(source, target)) +
                          ", but ids are below " + std::to_string(bound) +
                          " (collective_permute_c4)");
    }
    if (process(source) != self && process(target) != self) {
      continue;
    }
    ProcessGroup group{process(source)};
    if (source != target) {
      group.push_back(process(target));
    }
    Result<std::vector<Tensors>> all = exchange(op, channel, group, operands, frame);
    if (!all) {
      return all.error();
    }
    if (process(target) == self) {
      received = all->front().front();
    }
  }
  return received ? Result<Tensors>(Tensors{*received})
                  : single(zerosOf(op.getType(), operands[0], frame));
}

//===-- ids -----------------------------------------------------------------------------------===//

static Tensor idTensor(int64_t id) {
  Tensor tensor(ElementType::UI32, {});
  *tensor.as<uint32_t>() = static_cast<uint32_t>(id);
  return tensor;
}

void addCollectiveHandlers(InterpreterTable &table) {
  add<stablehlo::AllGatherOp>(table, gatherAll);
  add<stablehlo::AllReduceOp>(table, reduceAll);
  add<stablehlo::AllToAllOp>(table, exchangeParts);
  add<stablehlo::CollectiveBroadcastOp>(table, broadcastFromRoot);
  add<stablehlo::CollectivePermuteOp>(table, permute);
  add<stablehlo::CollectiveReduceOp>(table, reduceToRoot);
  add<stablehlo::CrossReplicaSumOp>(table, sumOverReplicas);
  add<stablehlo::ReduceScatterOp>(table, reduceThenScatter);
  add<stablehlo::PartitionIdOp>(table, [](stablehlo::PartitionIdOp, Tensors &, Frame &frame) {
    return single(idTensor(frame.process().partition));
  });
  add<stablehlo::ReplicaIdOp>(table, [](stablehlo::ReplicaIdOp, Tensors &, Frame &frame) {
    return single(idTensor(frame.process().replica));
  });
}

} // namespace drumlin::interpreter

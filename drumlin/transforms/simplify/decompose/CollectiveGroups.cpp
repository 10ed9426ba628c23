#include "drumlin/transforms/simplify/decompose/CollectiveGroups.h"

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/stablehlo/AllGatherOp.h"
#include "drumlin/ir/stablehlo/AllReduceOp.h"
#include "drumlin/ir/stablehlo/AllToAllOp.h"
#include "drumlin/ir/stablehlo/CollectiveBroadcastOp.h"
#include "drumlin/ir/stablehlo/CollectivePermuteOp.h"
#include "drumlin/ir/stablehlo/CollectiveReduceOp.h"
#include "drumlin/ir/stablehlo/CrossReplicaSumOp.h"
#include "drumlin/ir/stablehlo/RecvOp.h"
#include "drumlin/ir/stablehlo/ReduceScatterOp.h"
#include "drumlin/ir/stablehlo/ReplicaGroups.h"
#include "drumlin/ir/stablehlo/SendOp.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

using stablehlo::channelOf;

namespace {
// The groups that an operation's attributes describe, and the constraints on these groups.
struct GroupParts {
  Attribute ids;
  GroupStrategy strategy = GroupStrategy::CrossReplica;
  StringRef label = "";      // name of the constraint that every process is in a group
  int64_t expectedSize = -1; // size of each group according to the types; -1: any size
  StringRef sizeLabel = "";  // name of the constraint on the size
};
} // namespace

static int64_t ratio(Value larger, Value smaller, uint64_t dimension) {
  int64_t size =
      cast<RankedTensorType>(smaller.getType()).getDimSize(static_cast<unsigned>(dimension));
  int64_t whole =
      cast<RankedTensorType>(larger.getType()).getDimSize(static_cast<unsigned>(dimension));
  return size > 0 && whole % size == 0 ? whole / size : -1;
}

static std::optional<GroupParts> partsOf(Operation *op) {
  auto global = [](auto collective) {
    return strategyOf(channelOf(collective.getChannelHandle()), collective.getUseGlobalDeviceIds());
  };
  using Parts = std::optional<GroupParts>;
  return llvm::TypeSwitch<Operation *, Parts>(op)
      .Case<stablehlo::AllGatherOp>([&](auto gather) -> Parts {
        return GroupParts{
            gather.getReplicaGroups(), global(gather), " (all_gather_c3)",
            ratio(gather->getResult(0), gather->getOperand(0), gather.getAllGatherDim()),
            " (all_gather_c6)"};
      })
      .Case<stablehlo::AllReduceOp>([&](auto reduce) -> Parts {
        return GroupParts{reduce.getReplicaGroups(), global(reduce), " (all_reduce_c2)"};
      })
      .Case<stablehlo::AllToAllOp>([&](auto all) -> Parts {
        return GroupParts{all.getReplicaGroups(), strategyOf(channelOf(all.getChannelHandle())),
                          " (all_to_all_c6)", static_cast<int64_t>(all.getSplitCount()), ""};
      })
      .Case<stablehlo::ReduceScatterOp>([&](auto scatter) -> Parts {
        return GroupParts{
            scatter.getReplicaGroups(), global(scatter), " (reduce_scatter_c4)",
            ratio(scatter->getOperand(0), scatter->getResult(0), scatter.getScatterDimension()),
            ""};
      })
      .Case<stablehlo::CrossReplicaSumOp>([&](auto sum) -> Parts {
        return GroupParts{.ids = sum.getReplicaGroupsAttr(), .label = " (all_reduce_c2)"};
      })
      .Case<stablehlo::CollectiveBroadcastOp>([&](auto broadcast) -> Parts {
        return GroupParts{.ids = broadcast.getReplicaGroups(),
                          .strategy = strategyOf(channelOf(broadcast.getChannelHandle()))};
      })
      .Case<stablehlo::CollectiveReduceOp>([&](auto reduce) -> Parts {
        return GroupParts{.ids = reduce.getReplicaGroups(),
                          .strategy = reduce.getUseGlobalDeviceIds()
                                          ? GroupStrategy::FlattenedIds
                                          : strategyOf(channelOf(reduce.getChannelHandle()))};
      })
      .Default([](Operation *) { return std::nullopt; });
}

bool isCollective(Operation *op) { return partsOf(op) || isa<stablehlo::CollectivePermuteOp>(op); }

static Result<std::vector<ProcessGroup>> groupsOf(Operation *op, const GroupParts &parts,
                                                  const GridShape &grid) {
  std::string error;
  ScopedDiagnosticHandler handler(op->getContext(), [&](mlir::Diagnostic &diagnostic) {
    error = diagnostic.str();
    return success();
  });
  FailureOr<stablehlo::IdGroups> ids =
      stablehlo::idGroupsOf([&] { return op->emitError(); }, op, parts.ids);
  if (failed(ids)) {
    return diagnose(errors::ProcessGridMismatch, error);
  }
  std::vector<std::vector<int64_t>> lists;
  for (const auto &group : *ids) {
    lists.emplace_back(group.begin(), group.end());
  }
  return processGroups(parts.strategy, lists, grid);
}

Result<CollectiveGroups> collectiveGroups(Operation *op, const GridShape &grid) {
  GroupParts parts = *partsOf(op);
  Result<std::vector<ProcessGroup>> groups = groupsOf(op, parts, grid);
  if (!groups) {
    return groups.error();
  }
  CollectiveGroups made;
  for (const ProcessGroup &group : *groups) {
    made.width = std::max(made.width, static_cast<int64_t>(group.size()));
  }
  made.width = std::max<int64_t>(made.width, 1);
  for (int64_t process = 0; process < grid.processes(); ++process) {
    ProcessId id = ProcessId::of(process, grid);
    std::optional<GroupPosition> position = positionOf(id, *groups);
    ProcessGroup group = position ? (*groups)[position->group] : ProcessGroup();
    if (!position && !parts.label.empty()) {
      return diagnose(errors::ProcessGridMismatch, "process " + id.str() + " is in no group of `" +
                                                       op->getName().getStringRef().str() + "`" +
                                                       parts.label.str());
    }
    auto size = static_cast<int64_t>(group.size());
    if (parts.expectedSize >= 0 && size != parts.expectedSize) {
      return diagnose(errors::ProcessGridMismatch,
                      "`" + op->getName().getStringRef().str() + "` has a group of " +
                          std::to_string(size) + " processes, but its types require " +
                          std::to_string(parts.expectedSize) + parts.sizeLabel.str());
    }
    made.sizes.push_back(size);
    made.places.push_back(position ? static_cast<int64_t>(position->index) : 0);
    for (int64_t i = 0; i < made.width; ++i) {
      made.sources.push_back(i < size ? group[static_cast<size_t>(i)].flattened(grid) : -1);
    }
  }
  return made;
}

Status checkCollective(Operation *op, const GridShape &grid) {
  std::optional<drumlin::Diagnostic> error;
  if (partsOf(op)) {
    Result<CollectiveGroups> groups = collectiveGroups(op, grid);
    error = groups ? std::nullopt : std::optional(groups.error());
  } else {
    auto check = [&](auto paired, int64_t channel, StringRef label) {
      Result<PairedProcesses> made = pairedProcesses(paired, channel, grid, label);
      error = made ? std::nullopt : std::optional(made.error());
    };
    if (auto permute = dyn_cast<stablehlo::CollectivePermuteOp>(op)) {
      check(permute.getSourceTargetPairs(), channelOf(permute.getChannelHandle()),
            " (collective_permute_c4)");
    }
    llvm::TypeSwitch<Operation *>(op).Case<stablehlo::SendOp, stablehlo::RecvOp>(
        [&](auto transfer) {
          if (transfer.getSourceTargetPairs() && !transfer.getIsHostTransfer()) {
            check(*transfer.getSourceTargetPairs(), transfer.getChannelHandle().getHandle(), "");
          }
        });
  }
  return error ? Status(diagnose(error->code, error->message, plan::sourceOf(op->getLoc())))
               : Done();
}

std::string meetingName(Operation *op) {
  int64_t channel =
      llvm::TypeSwitch<Operation *, int64_t>(op)
          .Case<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::AllToAllOp,
                stablehlo::CollectiveBroadcastOp, stablehlo::CollectivePermuteOp,
                stablehlo::CollectiveReduceOp, stablehlo::ReduceScatterOp>(
              [](auto collective) { return channelOf(collective.getChannelHandle()); })
          .Default([](Operation *) { return 0; });
  return op->getName().getStringRef().str() + " on channel " + std::to_string(channel);
}

} // namespace drumlin

#include "drumlin/support/ProcessGroups.h"

#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include <numeric>

namespace drumlin {

uint32_t ProcessId::number(std::string_view what, const GridShape &grid) const {
  return static_cast<uint32_t>(what == "replica"     ? replica
                               : what == "partition" ? partition
                                                     : flattened(grid));
}

std::string ProcessId::str() const {
  return "(" + std::to_string(replica) + ", " + std::to_string(partition) + ")";
}

GroupStrategy strategyOf(int64_t channel, bool useGlobalDeviceIds) {
  if (useGlobalDeviceIds) {
    return GroupStrategy::FlattenedIds;
  }
  return channel > 0 ? GroupStrategy::CrossReplicaAndPartition : GroupStrategy::CrossReplica;
}

GroupStrategy strategyOf(int64_t channel) {
  return channel > 0 ? GroupStrategy::CrossPartition : GroupStrategy::CrossReplica;
}

static int64_t idCount(GroupStrategy strategy, const GridShape &grid) {
  switch (strategy) {
  case GroupStrategy::CrossPartition:
    return grid.partitions;
  case GroupStrategy::FlattenedIds:
    return grid.processes();
  default:
    return grid.replicas;
  }
}

// Converts one list of ids to one group, or to one for each partition or replica.
static void addGroups(GroupStrategy strategy, const std::vector<int64_t> &ids,
                      const GridShape &grid, std::vector<ProcessGroup> &groups) {
  switch (strategy) {
  case GroupStrategy::CrossReplica:
    for (int64_t partition = 0; partition < grid.partitions; ++partition) {
      ProcessGroup &group = groups.emplace_back();
      for (int64_t replica : ids) {
        group.push_back({replica, partition});
      }
    }
    return;
  case GroupStrategy::CrossPartition:
    for (int64_t replica = 0; replica < grid.replicas; ++replica) {
      ProcessGroup &group = groups.emplace_back();
      for (int64_t partition : ids) {
        group.push_back({replica, partition});
      }
    }
    return;
  case GroupStrategy::CrossReplicaAndPartition: {
    ProcessGroup &group = groups.emplace_back();
    for (int64_t partition = 0; partition < grid.partitions; ++partition) {
      for (int64_t replica : ids) {
        group.push_back({replica, partition});
      }
    }
    return;
  }
  case GroupStrategy::FlattenedIds: {
    ProcessGroup &group = groups.emplace_back();
    for (int64_t id : ids) {
      group.push_back(ProcessId::of(id, grid));
    }
    return;
  }
  }
}

Result<std::vector<ProcessGroup>> processGroups(GroupStrategy strategy,
                                                const std::vector<std::vector<int64_t>> &ids,
                                                const GridShape &grid) {
  int64_t count = idCount(strategy, grid);
  std::vector<ProcessGroup> groups;
  if (ids.empty()) {
    std::vector<int64_t> all(static_cast<size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    addGroups(strategy, all, grid, groups);
    return groups;
  }
  for (const std::vector<int64_t> &group : ids) {
    for (int64_t id : group) {
      if (id < 0 || id >= count) {
        return diagnose(errors::ProcessGridMismatch,
                        "a group names " + std::to_string(id) + ", but ids are below " +
                            std::to_string(count) + " in a grid of " +
                            std::to_string(grid.replicas) + " replicas and " +
                            std::to_string(grid.partitions) + " partitions");
      }
    }
    addGroups(strategy, group, grid, groups);
  }
  return groups;
}

std::optional<GroupPosition> positionOf(const ProcessId &process,
                                        const std::vector<ProcessGroup> &groups) {
  for (size_t group = 0; group < groups.size(); ++group) {
    for (size_t index = 0; index < groups[group].size(); ++index) {
      if (groups[group][index] == process) {
        return GroupPosition{group, index};
      }
    }
  }
  return std::nullopt;
}

} // namespace drumlin

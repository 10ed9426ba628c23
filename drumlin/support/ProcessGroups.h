// The grid of processes, and the conversion of a collective's groups of ids to groups of processes.
// Source: StableHLO specification, "Parallel execution" and "Collective ops".
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

struct GridShape {
  int64_t replicas = 1;
  int64_t partitions = 1;
  int64_t processes() const { return replicas * partitions; }
};

// The limit on the processes of a compiled program, each of which runs on its own thread.
inline constexpr int64_t maxCompiledProcesses = 256;
inline bool isCompiledGrid(const GridShape &grid) {
  return grid.replicas > 0 && grid.partitions > 0 && grid.replicas <= maxCompiledProcesses &&
         grid.partitions <= maxCompiledProcesses / grid.replicas;
}

struct ProcessId {
  int64_t replica = 0;
  int64_t partition = 0;
  auto operator<=>(const ProcessId &) const = default;
  // Convert between a process and its number, replica_id * num_partitions + partition_id.
  int64_t flattened(const GridShape &grid) const { return replica * grid.partitions + partition; }
  static ProcessId of(int64_t flattened, const GridShape &grid) {
    return {flattened / grid.partitions, flattened % grid.partitions};
  }
  // Returns the number that a `plan.host_call process` requests by `what`: the replica for
  // `replica`, the partition for `partition`, else the flattened number.
  uint32_t number(std::string_view what, const GridShape &grid) const;
  // Returns `(replica, partition)`, such as `(0, 1)`.
  std::string str() const;
};

using ProcessGroup = std::vector<ProcessId>;

enum class GroupStrategy : uint8_t {
  CrossReplica,
  CrossPartition,
  CrossReplicaAndPartition,
  FlattenedIds
};

// Returns the strategy of all_gather, all_reduce and reduce_scatter.
GroupStrategy strategyOf(int64_t channel, bool useGlobalDeviceIds);
// Returns the strategy of all_to_all, collective_broadcast, collective_permute and
// collective_reduce.
GroupStrategy strategyOf(int64_t channel);

// Converts groups of ids. An empty list means one group of all ids. Fails with ProcessGridMismatch
// if an id isn't in the grid.
Result<std::vector<ProcessGroup>> processGroups(GroupStrategy strategy,
                                                const std::vector<std::vector<int64_t>> &ids,
                                                const GridShape &grid);

// The position of a process in its group; nothing if no group contains it.
struct GroupPosition {
  size_t group = 0;
  size_t index = 0;
};
std::optional<GroupPosition> positionOf(const ProcessId &process,
                                        const std::vector<ProcessGroup> &groups);

} // namespace drumlin

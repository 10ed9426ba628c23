// The grid of processes, and how a collective's groups of ids become groups of processes. Source:
// StableHLO specification, "Parallel execution" and "Collective ops".
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

// Compiled programs run as so many processes at most, each on a thread of its own.
inline constexpr int64_t maxCompiledProcesses = 256;
inline bool isCompiledGrid(const GridShape &grid) {
  return grid.replicas > 0 && grid.partitions > 0 && grid.replicas <= maxCompiledProcesses &&
         grid.partitions <= maxCompiledProcesses / grid.replicas;
}

struct ProcessId {
  int64_t replica = 0;
  int64_t partition = 0;
  auto operator<=>(const ProcessId &) const = default;
  // replica_id * num_partitions + partition_id, and the process of such a number.
  int64_t flattened(const GridShape &grid) const { return replica * grid.partitions + partition; }
  static ProcessId of(int64_t flattened, const GridShape &grid) {
    return {flattened / grid.partitions, flattened % grid.partitions};
  }
  // What `plan.host_call process` asks for: its `replica`, its `partition`, or else the number.
  uint32_t number(std::string_view what, const GridShape &grid) const;
  // `(0, 1)`: the replica, the partition.
  std::string str() const;
};

using ProcessGroup = std::vector<ProcessId>;

enum class GroupStrategy : uint8_t {
  CrossReplica,
  CrossPartition,
  CrossReplicaAndPartition,
  FlattenedIds
};

// The strategy of all_gather, all_reduce and reduce_scatter.
GroupStrategy strategyOf(int64_t channel, bool useGlobalDeviceIds);
// That of all_to_all, collective_broadcast, collective_permute and collective_reduce.
GroupStrategy strategyOf(int64_t channel);

// Groups of no ids at all are one group of all ids. ProcessGridMismatch where an id is none of the
// grid's.
Result<std::vector<ProcessGroup>> processGroups(GroupStrategy strategy,
                                                const std::vector<std::vector<int64_t>> &ids,
                                                const GridShape &grid);

// Where in which group a process is; nothing where it is in none.
struct GroupPosition {
  size_t group = 0;
  size_t index = 0;
};
std::optional<GroupPosition> positionOf(const ProcessId &process,
                                        const std::vector<ProcessGroup> &groups);

} // namespace drumlin

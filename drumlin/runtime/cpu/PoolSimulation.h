// Computes how long a launch would take on more threads than the machine has, from the times of the
// chunks that the threads would take (WorkSplit.h).
#pragma once

#include "drumlin/runtime/cpu/WorkSplit.h"

#include <cstdint>
#include <span>

namespace drumlin {

// The costs, in seconds, of sharing a launch among threads.
struct PoolCosts {
  double call = 0;     // the caller's time to call one worker
  double handOver = 0; // from the call to the worker's first chunk, and from the last to the caller
  double take = 0;     // to take one chunk
};

// Measures the costs of a pool of this process, whose workers spin between launches. Takes about 20
// ms. On a machine of one processor, returns the costs of `assumedPoolCosts()`.
PoolCosts measurePoolCosts();
// Returns costs that were measured on a Sapphire Rapids Xeon.
PoolCosts assumedPoolCosts();

struct SimulatedLaunch {
  double seconds = 0; // from the launch to the caller's return
  // The parts of `seconds` that an even division of the chunks' time among the threads would save,
  // and the time of calls, hand-overs and taken chunks.
  double imbalance = 0;
  double handOvers = 0;
};

// A launch: `chunks` has the seconds that each chunk of the split takes, range by range.
struct ChunkTimes {
  WorkSplit split;
  std::span<const double> chunks;
};

// Simulates launches that run side by side on `threads` threads, for which their tiles are split.
// Launches with one chunk in all have no costs.
SimulatedLaunch simulateLaunches(std::span<const ChunkTimes> launches, unsigned threads,
                                 const PoolCosts &costs);
inline SimulatedLaunch simulateLaunch(const WorkSplit &split, std::span<const double> chunks,
                                      unsigned threads, const PoolCosts &costs) {
  const ChunkTimes launch = {split, chunks};
  return simulateLaunches(std::span(&launch, 1), threads, costs);
}

} // namespace drumlin

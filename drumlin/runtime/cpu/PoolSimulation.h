// Computes how long a launch would take on more threads than the machine has, from the times of its
// tiles. The simulated threads divide the tiles as ThreadPool does (WorkSplit.h).
#pragma once

#include <cstdint>
#include <span>

namespace drumlin {

// What sharing a launch costs, in seconds.
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
  // The parts of `seconds` in which no more was gained by more threads: what an even division of
  // the tiles' time would have saved, and the time of calls, hand-overs and chunks.
  double imbalance = 0;
  double handOvers = 0;
};

// Simulates a launch whose tile i takes `tiles[i]` seconds, on `threads` threads. A launch of one
// tile, or on one thread, has no costs.
SimulatedLaunch simulateLaunch(std::span<const double> tiles, unsigned threads,
                               const PoolCosts &costs);

} // namespace drumlin

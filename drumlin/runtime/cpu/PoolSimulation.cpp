#include "drumlin/runtime/cpu/PoolSimulation.h"

#include "drumlin/runtime/cpu/ThreadPool.h"
#include "drumlin/support/SystemLimits.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace drumlin {

PoolCosts assumedPoolCosts() { return {.call = 50e-9, .handOver = 300e-9, .take = 40e-9}; }

//===- the simulation ----------------------------------------------------------------===//

namespace {
// The state of a simulated launch: the chunks that are left, and when each thread is free.
class Simulation {
public:
  Simulation(const WorkSplit &split, std::span<const double> chunks) : split(split) {
    size_t first = 0;
    for (int64_t range = 0; range < split.ranges; ++range) {
      const auto count = static_cast<size_t>(split.chunks(range));
      left.push_back(chunks.subspan(first, count));
      first += count;
    }
  }

  // Returns the time from the launch to the end of the last chunk. The threads take chunks in the
  // order of the times at which they are free.
  double run(const PoolCosts &costs) {
    using Free = std::pair<double, int64_t>; // the time, and the thread's own range
    std::priority_queue<Free, std::vector<Free>, std::greater<>> threads;
    std::vector<double> starts(static_cast<size_t>(split.ranges), 0.0);
    for (int64_t i = 0; i < split.ranges; ++i) {
      // A thread calls others before it takes its first chunk.
      double &time = starts[static_cast<size_t>(i)];
      for (int64_t called : CallTree::calledBy(i)) {
        if (called < split.ranges) {
          time += costs.call;
          starts[static_cast<size_t>(called)] = time + costs.handOver;
        }
      }
      threads.emplace(time, i);
    }
    double last = 0;
    while (!threads.empty()) {
      auto [time, own] = threads.top();
      threads.pop();
      if (std::optional<double> chunk = takeChunk(own)) {
        time += costs.take + *chunk;
        last = std::max(last, time);
        threads.emplace(time, own);
      }
    }
    return last;
  }

private:
  // Takes the next chunk of the thread whose own range is `own`, and returns the chunk's time;
  // nothing if all chunks are taken.
  std::optional<double> takeChunk(int64_t own) {
    for (int64_t i = 0; i < split.ranges; ++i) {
      std::span<const double> &range = left[static_cast<size_t>((own + i) % split.ranges)];
      if (!range.empty()) {
        const double taken = range.front();
        range = range.subspan(1);
        return taken;
      }
    }
    return std::nullopt;
  }

  WorkSplit split;
  std::vector<std::span<const double>> left; // of each range
};
} // namespace

SimulatedLaunch simulateLaunch(const WorkSplit &split, std::span<const double> chunks,
                               unsigned threads, const PoolCosts &costs) {
  const double alone = std::accumulate(chunks.begin(), chunks.end(), 0.0);
  if (split.ranges <= 1) {
    return {.seconds = alone, .imbalance = alone - alone / std::max(threads, 1U)};
  }
  SimulatedLaunch made;
  const double free = Simulation(split, chunks).run({});
  made.seconds = Simulation(split, chunks).run(costs) + costs.handOver;
  made.imbalance = free - alone / threads;
  made.handOvers = made.seconds - free;
  return made;
}

//===- measurement --------------------------------------------------------------------===//

static void doNothing(void *const *, const int64_t *, void *, int64_t, int64_t) {}

// Returns the median time of a launch of `tiles` empty tiles.
static double launchSeconds(ThreadPool &pool, int64_t tiles) {
  constexpr int samples = 201;
  std::vector<double> seconds;
  for (int i = 0; i < samples; ++i) {
    auto begin = std::chrono::steady_clock::now();
    pool.parallel(doNothing, nullptr, nullptr, nullptr, {.tiles = tiles});
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + samples / 2, seconds.end());
  return seconds[samples / 2];
}

PoolCosts measurePoolCosts() {
  if (usableProcessors() < 2) {
    return assumedPoolCosts();
  }
  // A launch of 2 tiles takes a call, two hand-overs and two chunks, one on each thread; a launch
  // of 16 tiles takes 16 chunks, eight on each thread.
  ThreadPool pool(2);
  pool.enter();
  launchSeconds(pool, 2);
  const double two = launchSeconds(pool, 2), many = launchSeconds(pool, 16);
  pool.leave();
  PoolCosts costs = assumedPoolCosts();
  costs.take = std::max((many - two) / 7, 0.0);
  costs.handOver = std::max((two - costs.take - costs.call) / 2, 0.0);
  return costs;
}

} // namespace drumlin

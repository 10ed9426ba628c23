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
// The chunks of simulated launches that are left.
class ChunksLeft {
public:
  explicit ChunksLeft(std::span<const ChunkTimes> launches) {
    for (const ChunkTimes &launch : launches) {
      std::vector<std::span<const double>> &ranges = left.emplace_back();
      size_t first = 0;
      for (int64_t range = 0; range < launch.split.ranges; ++range) {
        const auto count = static_cast<size_t>(launch.split.chunks(range));
        ranges.push_back(launch.chunks.subspan(first, count));
        first += count;
      }
    }
  }

  // Takes the chunk that a thread takes next, and returns its time; nothing if all are taken: a
  // chunk of the thread's own range of a launch, else one of any range.
  std::optional<double> take(size_t thread) {
    for (auto &ranges : left) {
      if (thread < ranges.size() && !ranges[thread].empty()) {
        return takeFirst(ranges[thread]);
      }
    }
    const size_t begin = thread % ThreadPool::maxLaunches;
    for (size_t i = 0; i < left.size(); ++i) {
      auto &ranges = left[begin < left.size() ? (begin + i) % left.size() : i];
      for (size_t next = 0; next < ranges.size(); ++next) {
        std::span<const double> &range = ranges[(thread + next) % ranges.size()];
        if (!range.empty()) {
          return takeFirst(range);
        }
      }
    }
    return std::nullopt;
  }

private:
  static double takeFirst(std::span<const double> &range) {
    const double taken = range.front();
    range = range.subspan(1);
    return taken;
  }

  std::vector<std::vector<std::span<const double>>> left; // of each launch's ranges
};
} // namespace

// Returns the time from the launches to the end of the last chunk. The threads take chunks in the
// order of the times at which they are free.
static double endOfLast(std::span<const ChunkTimes> launches, int64_t used,
                        const PoolCosts &costs) {
  using Free = std::pair<double, int64_t>; // the time, and the thread
  std::priority_queue<Free, std::vector<Free>, std::greater<>> threads;
  std::vector<double> starts(static_cast<size_t>(used), 0.0);
  for (int64_t i = 0; i < used; ++i) {
    // A thread calls others before it takes its first chunk.
    double &time = starts[static_cast<size_t>(i)];
    for (int64_t called : CallTree::calledBy(i)) {
      if (called < used) {
        time += costs.call;
        starts[static_cast<size_t>(called)] = time + costs.handOver;
      }
    }
    threads.emplace(time, i);
  }
  ChunksLeft left(launches);
  double last = 0;
  while (!threads.empty()) {
    auto [time, thread] = threads.top();
    threads.pop();
    if (std::optional<double> chunk = left.take(static_cast<size_t>(thread))) {
      time += costs.take + *chunk;
      last = std::max(last, time);
      threads.emplace(time, thread);
    }
  }
  return last;
}

SimulatedLaunch simulateLaunches(std::span<const ChunkTimes> launches, unsigned threads,
                                 const PoolCosts &costs) {
  double alone = 0;
  int64_t shares = 0;
  for (const ChunkTimes &launch : launches) {
    alone = std::accumulate(launch.chunks.begin(), launch.chunks.end(), alone);
    shares += launch.split.ranges;
  }
  const int64_t used = std::min<int64_t>(shares, threads);
  if (used <= 1) {
    return {.seconds = alone, .imbalance = alone - alone / std::max(threads, 1U)};
  }
  SimulatedLaunch made;
  const double free = endOfLast(launches, used, {});
  made.seconds = endOfLast(launches, used, costs) + costs.handOver;
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

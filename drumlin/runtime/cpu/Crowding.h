// How many workers a launch calls, if there are fewer processors than threads that want them.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace drumlin {

// A worker that waits for a processor, while it holds a chunk of a launch, delays the launch by
// some milliseconds: longer than most launches take. So no launch calls more workers than there are
// processors beside the caller's. Other processes may want the processors, too: a launch of which
// the caller waits longer than it worked halves the number of workers that are called, down to
// none. From time to time a launch tries more workers; the pause between trials grows while they
// fail.
class Crowding {
public:
  using Clock = std::chrono::steady_clock;

  // `processors`: those on which the pool's threads may run, at least 1.
  explicit Crowding(unsigned processors) : most(processors - 1) {}

  // Returns how many of `wanted` workers a launch should call, which begins at `now`.
  unsigned admit(unsigned wanted, Clock::time_point now) {
    wanted = std::min(wanted, most);
    const unsigned admitted = limit.load(std::memory_order_relaxed);
    if (admitted >= wanted) {
      return wanted;
    }
    int64_t due = nextTrial.load(std::memory_order_relaxed);
    const int64_t ticks = now.time_since_epoch().count();
    // Of several callers, one tries.
    if (ticks < due ||
        !nextTrial.compare_exchange_strong(due, ticks + pause.load(std::memory_order_relaxed),
                                           std::memory_order_relaxed)) {
      return admitted;
    }
    return std::min(wanted, 2 * admitted + 1);
  }

  // Notes the end of a launch for which `called` workers were called, and whose caller worked until
  // `worked` and then waited until `ended`.
  void note(unsigned called, Clock::time_point began, Clock::time_point worked,
            Clock::time_point ended) {
    const int64_t paused = pause.load(std::memory_order_relaxed);
    if (ended - worked > (worked - began) + tolerated) {
      limit.store(called / 2, std::memory_order_relaxed);
      nextTrial.store(ended.time_since_epoch().count() + paused, std::memory_order_relaxed);
      pause.store(std::min(4 * paused, longestPause), std::memory_order_relaxed);
    } else if (called > limit.load(std::memory_order_relaxed)) {
      limit.store(called, std::memory_order_relaxed);
      pause.store(std::max(paused / 2, shortestPause), std::memory_order_relaxed);
    }
  }

private:
  static constexpr Clock::duration tolerated = std::chrono::microseconds(100);
  static constexpr int64_t shortestPause = Clock::duration(std::chrono::milliseconds(1)).count();
  static constexpr int64_t longestPause = Clock::duration(std::chrono::milliseconds(200)).count();

  const unsigned most;
  std::atomic<unsigned> limit{std::numeric_limits<unsigned>::max()};
  // In ticks of the clock.
  std::atomic<int64_t> nextTrial{0}, pause{shortestPause};
};

} // namespace drumlin

// How a launch's tiles are divided between threads, and how the threads are called.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace drumlin {

// The work of a launch, by which it is divided.
struct LaunchWork {
  int64_t tiles = 0;
  // The kernel computes this many neighbouring tiles, from a multiple of this number on, faster
  // together than one by one.
  int64_t together = 1;
  // The predicted time of a tile on one thread; 0 if it isn't known.
  double secondsOfTile = 0;
};

// The tiles [0, tiles) in units of neighbouring tiles, the units in `ranges` contiguous ranges, one
// for each thread, and each range in a few chunks of units. A thread takes the chunks of its own
// range in order, then those of the following ranges, and after the last range those of the first
// ones.
struct WorkSplit {
  // The number of chunks per range. It is small, since a kernel may set up something at the start
  // of each chunk. But 8 chunks balance better than 4: a GEMM of 15 tiles, split 8 and 7 between
  // two threads, takes 12 % less time.
  static constexpr int64_t chunksPerRange = 8;
  // What each halving of a unit costs, in percent of the unit's time. Measured with GEMMs of 1024
  // rows, columns and k elements on one core of a Sapphire Rapids Xeon: tiles of 256 × 512, 256 ×
  // 256, 256 × 128 and 128 × 128 take 15.9, 17.5, 19.0 and 20.2 ms.
  static constexpr int64_t halvingPercent = 9;
  // The least time that a thread should work on a launch. Calling a thread and waiting for it takes
  // about half of this time, and predictions are off by a factor of two.
  static constexpr double leastSeconds = 1e-6;

  int64_t tiles = 0;
  int64_t unit = 1; // tiles of a unit; the last unit may be smaller
  int64_t units = 0;
  int64_t ranges = 0;

  // Returns the split for at most `most` threads, in which no range is empty. `work.together` tiles
  // are a unit, or if the units would be too few for the threads, a half, a quarter and so on of
  // them.
  static WorkSplit of(const LaunchWork &work, int64_t most) {
    const int64_t threads = threadsFor(work, most);
    int64_t unit = work.together;
    if (unit > 1 && threads > 1) {
      int64_t percent = 100, least = 0;
      for (int64_t tried = work.together;; tried = (tried + 1) / 2) {
        const int64_t cost = ceilDivide(ceilDivide(work.tiles, tried), threads) * tried * percent;
        if (least == 0 || cost < least) {
          least = cost;
          unit = tried;
        }
        if (tried == 1) {
          break;
        }
        percent += halvingPercent;
      }
    }
    const int64_t units = ceilDivide(work.tiles, unit);
    return {work.tiles, unit, units, std::min(threads, units)};
  }
  // Returns how many of `most` threads should share a launch.
  static int64_t threadsFor(const LaunchWork &work, int64_t most) {
    const double shares = work.secondsOfTile * static_cast<double>(work.tiles) / leastSeconds;
    return work.secondsOfTile > 0 && shares < static_cast<double>(most)
               ? std::max<int64_t>(static_cast<int64_t>(shares), 1)
               : most;
  }

  int64_t chunks(int64_t range) const { return std::min(rangeUnits(range), chunksPerRange); }
  // Returns the first tile of a range's chunk; for the number of chunks, the end of the range.
  int64_t chunkBegin(int64_t range, int64_t chunk) const {
    const int64_t first =
        partBegin(units, ranges, range) + partBegin(rangeUnits(range), chunks(range), chunk);
    return std::min(first * unit, tiles);
  }
  int64_t allChunks() const {
    const int64_t larger = units % ranges, least = units / ranges;
    return larger * std::min(least + 1, chunksPerRange) +
           (ranges - larger) * std::min(least, chunksPerRange);
  }
  // Calls visit(begin, end) with the tiles of each chunk, range by range.
  template <typename Visit> void forEachChunk(Visit visit) const {
    for (int64_t range = 0; range < ranges; ++range) {
      for (int64_t chunk = 0, begin = chunkBegin(range, 0); chunk < chunks(range); ++chunk) {
        const int64_t end = chunkBegin(range, chunk + 1);
        visit(begin, end);
        begin = end;
      }
    }
  }

private:
  static int64_t ceilDivide(int64_t x, int64_t by) { return (x + by - 1) / by; }
  // Returns the start of part `part` of `count` items split into `parts`: the first `count % parts`
  // parts have one item more.
  static int64_t partBegin(int64_t count, int64_t parts, int64_t part) {
    return part * (count / parts) + std::min(part, count % parts);
  }
  int64_t rangeUnits(int64_t range) const {
    return units / ranges + (range < units % ranges ? 1 : 0);
  }
};

// The order in which the threads of a launch call each other. Thread 0 is the caller.
struct CallTree {
  static constexpr int64_t branches = 4;
  static std::array<int64_t, branches> calledBy(int64_t thread) {
    std::array<int64_t, branches> called = {};
    for (int64_t i = 0; i < branches; ++i) {
      called[static_cast<size_t>(i)] = branches * thread + i + 1;
    }
    return called;
  }
};

} // namespace drumlin

// How a launch's tiles are divided between threads.
#pragma once

#include <algorithm>
#include <cstdint>

namespace drumlin {

// The tiles [0, tiles) in `ranges` contiguous ranges, one for each thread, of which each is divided
// into a few chunks. A thread takes the chunks of its own range in order, then those of the
// following ranges, and after the last range those of the first ones.
struct WorkSplit {
  // The number of chunks per range. It is small, since a kernel may set up something at the start
  // of each chunk. But 8 chunks balance better than 4: a GEMM of 15 tiles, split 8 and 7 between
  // two threads, takes 12 % less time.
  static constexpr int64_t chunksPerRange = 8;

  int64_t tiles = 0;
  int64_t ranges = 0;

  // Returns the split for `threads` threads that compute: no range is empty.
  static WorkSplit of(int64_t tiles, int64_t threads) { return {tiles, std::min(threads, tiles)}; }

  int64_t rangeBegin(int64_t range) const { return partBegin(tiles, ranges, range); }
  int64_t rangeTiles(int64_t range) const {
    return tiles / ranges + (range < tiles % ranges ? 1 : 0);
  }
  int64_t chunks(int64_t range) const { return std::min(rangeTiles(range), chunksPerRange); }
  // Returns the first tile of a range's chunk; for the number of chunks, the end of the range.
  int64_t chunkBegin(int64_t range, int64_t chunk) const {
    return rangeBegin(range) + partBegin(rangeTiles(range), chunks(range), chunk);
  }
  int64_t allChunks() const {
    const int64_t larger = tiles % ranges, least = tiles / ranges;
    return larger * std::min(least + 1, chunksPerRange) +
           (ranges - larger) * std::min(least, chunksPerRange);
  }

private:
  // Returns the start of part `part` of `count` items split into `parts`: the first `count % parts`
  // parts have one item more.
  static int64_t partBegin(int64_t count, int64_t parts, int64_t part) {
    return part * (count / parts) + std::min(part, count % parts);
  }
};

} // namespace drumlin

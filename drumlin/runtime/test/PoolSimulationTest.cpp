// Splits of work, and simulated launches whose times can be computed by hand.
#include "drumlin/runtime/cpu/PoolSimulation.h"

#include "drumlin/runtime/cpu/WorkSplit.h"

#include <gtest/gtest.h>
#include <vector>

namespace drumlin {

// Ranges follow each other without gaps, and so do the chunks of a range. No range is empty, and
// sizes differ by at most one tile.
TEST(WorkSplit, CoversAllTilesInOrder) {
  for (int64_t tiles : {1, 2, 7, 8, 9, 64, 65, 1000}) {
    for (int64_t threads : {1, 2, 3, 7, 16, 64}) {
      WorkSplit split = WorkSplit::of(tiles, threads);
      ASSERT_EQ(split.ranges, std::min(tiles, threads));
      int64_t next = 0, chunks = 0;
      for (int64_t range = 0; range < split.ranges; ++range) {
        ASSERT_EQ(split.rangeBegin(range), next);
        ASSERT_GE(split.rangeTiles(range), tiles / split.ranges);
        ASSERT_LE(split.rangeTiles(range), tiles / split.ranges + 1);
        ASSERT_LE(split.chunks(range), WorkSplit::chunksPerRange);
        chunks += split.chunks(range);
        for (int64_t chunk = 0; chunk < split.chunks(range); ++chunk) {
          ASSERT_EQ(split.chunkBegin(range, chunk), next);
          next = split.chunkBegin(range, chunk + 1);
          ASSERT_GT(next, split.chunkBegin(range, chunk));
        }
      }
      ASSERT_EQ(next, tiles);
      ASSERT_EQ(chunks, split.allChunks());
    }
  }
}

TEST(PoolSimulation, OneThreadOrOneTileCostsNothing) {
  const PoolCosts costs = {.call = 1, .handOver = 1, .take = 1};
  const std::vector<double> tiles = {3, 4};
  EXPECT_EQ(simulateLaunch(tiles, 1, costs).seconds, 7);
  EXPECT_EQ(simulateLaunch(std::span(tiles).first(1), 16, costs).seconds, 3);
  EXPECT_EQ(simulateLaunch({}, 16, costs).seconds, 0);
}

TEST(PoolSimulation, EqualTilesSpeedUpLinearly) {
  const std::vector<double> tiles(64, 1.0);
  for (unsigned threads : {2, 4, 8, 16, 64}) {
    SimulatedLaunch launch = simulateLaunch(tiles, threads, {});
    EXPECT_DOUBLE_EQ(launch.seconds, 64.0 / threads);
    EXPECT_DOUBLE_EQ(launch.imbalance, 0);
    EXPECT_EQ(launch.handOvers, 0);
  }
}

// More threads than tiles gain nothing.
TEST(PoolSimulation, FewTilesLimit) {
  const std::vector<double> tiles(8, 1.0);
  SimulatedLaunch launch = simulateLaunch(tiles, 16, {});
  EXPECT_DOUBLE_EQ(launch.seconds, 1);
  EXPECT_DOUBLE_EQ(launch.imbalance, 0.5);
}

// A thread that has finished its range takes chunks of the other range: 4 s of work in tiles of 1 s
// are in the first range, and nothing in the second.
TEST(PoolSimulation, ThreadsTakeChunksOfOtherRanges) {
  const std::vector<double> tiles = {1, 1, 1, 1, 0, 0, 0, 0};
  EXPECT_DOUBLE_EQ(simulateLaunch(tiles, 2, {}).seconds, 2);
  const std::vector<double> oneLong = {4, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_DOUBLE_EQ(simulateLaunch(oneLong, 2, {}).seconds, 4);
}

// The second thread begins a call and a hand-over after the launch, and takes one chunk of 10 s.
// The caller has called it and taken its own chunk by then. A last hand-over ends the launch.
TEST(PoolSimulation, AddsTheCostsOfThePool) {
  const PoolCosts costs = {.call = 0.5, .handOver = 2, .take = 0.25};
  const std::vector<double> tiles = {10, 10};
  SimulatedLaunch launch = simulateLaunch(tiles, 2, costs);
  EXPECT_DOUBLE_EQ(launch.seconds, 0.5 + 2 + 0.25 + 10 + 2);
  EXPECT_DOUBLE_EQ(launch.handOvers, launch.seconds - 10);
}

TEST(PoolSimulation, MeasuresCosts) {
  for (const PoolCosts &costs : {measurePoolCosts(), assumedPoolCosts()}) {
    EXPECT_GT(costs.call, 0);
    EXPECT_GE(costs.handOver, 0);
    EXPECT_GE(costs.take, 0);
    EXPECT_LT(costs.handOver, 1e-3);
  }
}

} // namespace drumlin

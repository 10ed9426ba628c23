// Splits of work, and simulated launches whose times can be computed by hand.
#include "drumlin/runtime/cpu/PoolSimulation.h"

#include "drumlin/runtime/cpu/WorkSplit.h"

#include <array>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

namespace drumlin {

// Ranges follow each other without gaps, and so do the chunks of a range. No chunk is empty, and
// all but the last begin and end at a unit.
TEST(WorkSplit, CoversAllTilesInOrder) {
  for (int64_t tiles : {1, 2, 7, 8, 9, 64, 65, 1000}) {
    for (int64_t threads : {1, 2, 3, 7, 16, 64}) {
      for (int64_t together : {1, 2, 12, 16}) {
        WorkSplit split = WorkSplit::of({.tiles = tiles, .together = together}, threads);
        ASSERT_LE(split.ranges, threads);
        ASSERT_LE(split.unit, together);
        int64_t next = 0, chunks = 0;
        for (int64_t range = 0; range < split.ranges; ++range) {
          ASSERT_GE(split.chunks(range), 1);
          ASSERT_LE(split.chunks(range), WorkSplit::chunksPerRange);
          chunks += split.chunks(range);
          for (int64_t chunk = 0; chunk < split.chunks(range); ++chunk) {
            ASSERT_EQ(split.chunkBegin(range, chunk), next);
            ASSERT_EQ(next % split.unit, 0);
            next = split.chunkBegin(range, chunk + 1);
            ASSERT_GT(next, split.chunkBegin(range, chunk));
          }
        }
        ASSERT_EQ(next, tiles);
        ASSERT_EQ(chunks, split.allChunks());
      }
    }
  }
}

// 8 groups of 16 tiles: up to 8 threads take whole groups, more threads parts of them. A group is
// also divided if its parts balance better: 9 groups on two threads would take the time of 10.
TEST(WorkSplit, DividesGroupsForManyThreads) {
  for (auto [threads, unit] :
       {std::pair(1, 16), {2, 16}, {4, 16}, {8, 16}, {16, 8}, {32, 4}, {64, 2}, {128, 1}}) {
    EXPECT_EQ(WorkSplit::of({.tiles = 8 * 16, .together = 16}, threads).unit, unit) << threads;
  }
  EXPECT_EQ(WorkSplit::of({.tiles = 9 * 16, .together = 16}, 2).unit, 8);
  EXPECT_EQ(WorkSplit::of({.tiles = 65 * 16, .together = 16}, 64).unit, 2);
}

TEST(WorkSplit, LittleWorkNeedsFewThreads) {
  auto threads = [](double secondsOfTile) {
    return WorkSplit::of({.tiles = 64, .secondsOfTile = secondsOfTile}, 16).ranges;
  };
  EXPECT_EQ(threads(0), 16); // unknown
  EXPECT_EQ(threads(WorkSplit::leastSeconds), 16);
  EXPECT_EQ(threads(WorkSplit::leastSeconds / 8), 8);
  EXPECT_EQ(threads(WorkSplit::leastSeconds / 40), 1);
  EXPECT_EQ(threads(1e-30), 1);
}

static SimulatedLaunch simulate(const std::vector<double> &tiles, unsigned threads,
                                const PoolCosts &costs) {
  const WorkSplit split = WorkSplit::of({.tiles = static_cast<int64_t>(tiles.size())}, threads);
  std::vector<double> chunks;
  split.forEachChunk([&](int64_t begin, int64_t end) {
    chunks.push_back(std::accumulate(tiles.begin() + begin, tiles.begin() + end, 0.0));
  });
  return simulateLaunch(split, chunks, threads, costs);
}

TEST(PoolSimulation, OneThreadOrOneTileCostsNothing) {
  const PoolCosts costs = {.call = 1, .handOver = 1, .take = 1};
  EXPECT_EQ(simulate({3, 4}, 1, costs).seconds, 7);
  EXPECT_EQ(simulate({3}, 16, costs).seconds, 3);
}

TEST(PoolSimulation, EqualTilesSpeedUpLinearly) {
  const std::vector<double> tiles(64, 1.0);
  for (unsigned threads : {2, 4, 8, 16, 64}) {
    SimulatedLaunch launch = simulate(tiles, threads, {});
    EXPECT_DOUBLE_EQ(launch.seconds, 64.0 / threads);
    EXPECT_DOUBLE_EQ(launch.imbalance, 0);
    EXPECT_EQ(launch.handOvers, 0);
  }
}

// More threads than tiles gain nothing.
TEST(PoolSimulation, FewTilesLimit) {
  SimulatedLaunch launch = simulate(std::vector<double>(8, 1.0), 16, {});
  EXPECT_DOUBLE_EQ(launch.seconds, 1);
  EXPECT_DOUBLE_EQ(launch.imbalance, 0.5);
}

// A thread that has finished its range takes chunks of the other range: the first range has 4 s of
// work, and the second none.
TEST(PoolSimulation, ThreadsTakeChunksOfOtherRanges) {
  EXPECT_DOUBLE_EQ(simulate({1, 1, 1, 1, 0, 0, 0, 0}, 2, {}).seconds, 2);
  EXPECT_DOUBLE_EQ(simulate({4, 0, 0, 0, 0, 0, 0, 0}, 2, {}).seconds, 4);
}

// Of two launches with one tile each, the second thread takes the second.
TEST(PoolSimulation, LaunchesRunSideBySide) {
  const WorkSplit one = WorkSplit::of({.tiles = 1}, 4);
  const std::array<double, 1> first = {5}, second = {3};
  const std::array<ChunkTimes, 2> launches = {ChunkTimes{one, first}, ChunkTimes{one, second}};
  EXPECT_DOUBLE_EQ(simulateLaunches(launches, 4, {}).seconds, 5);
  EXPECT_DOUBLE_EQ(simulateLaunches(launches, 1, {}).seconds, 8);
  // A thread without tiles of its own takes those of the other launch.
  const WorkSplit four = WorkSplit::of({.tiles = 4}, 2);
  const std::array<double, 4> many = {2, 2, 2, 2};
  const std::array<ChunkTimes, 2> unequal = {ChunkTimes{one, first}, ChunkTimes{four, many}};
  EXPECT_DOUBLE_EQ(simulateLaunches(unequal, 2, {}).seconds, 7);
}

// The second thread begins a call and a hand-over after the launch, and takes one chunk of 10 s.
// The caller has called it and taken its own chunk by then. A last hand-over ends the launch.
TEST(PoolSimulation, AddsTheCostsOfThePool) {
  const PoolCosts costs = {.call = 0.5, .handOver = 2, .take = 0.25};
  SimulatedLaunch launch = simulate({10, 10}, 2, costs);
  EXPECT_DOUBLE_EQ(launch.seconds, 0.5 + 2 + 0.25 + 10 + 2);
  EXPECT_DOUBLE_EQ(launch.handOvers, launch.seconds - 10);
}

// Of 21 threads, the caller calls four, and these call four each.
TEST(PoolSimulation, ThreadsCallEachOther) {
  const PoolCosts costs = {.call = 1, .handOver = 0, .take = 0};
  SimulatedLaunch launch = simulate(std::vector<double>(21, 100.0), 21, costs);
  EXPECT_DOUBLE_EQ(launch.seconds, 4 + 4 + 100);
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

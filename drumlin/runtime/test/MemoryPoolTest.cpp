#include "drumlin/runtime/device/MemoryPool.h"

#include <gtest/gtest.h>

using namespace drumlin;
using namespace drumlin;

static constexpr size_t mib = size_t(1) << 20;

static std::byte *takeAndGiveBack(MemoryPool &pool, size_t bytes) {
  std::optional<AlignedMemory> memory = pool.take(bytes);
  std::byte *place = memory->data();
  *place = std::byte(1); // marks the memory as used; new memory is zero
  pool.giveBack(std::move(*memory));
  return place;
}

// Whether the pool returns memory of this size that was in use before.
static bool has(MemoryPool &pool, size_t bytes) {
  std::optional<AlignedMemory> memory = pool.take(bytes);
  return *memory->data() == std::byte(1);
}

TEST(MemoryPool, GivesTheMemoryThatCameLast) {
  MemoryPool pool;
  std::optional<AlignedMemory> first = pool.take(4 * mib), second = pool.take(4 * mib);
  std::byte *last = second->data();
  pool.giveBack(std::move(*first));
  pool.giveBack(std::move(*second));
  EXPECT_EQ(takeAndGiveBack(pool, 4 * mib), last);
  EXPECT_EQ(takeAndGiveBack(pool, 4 * mib - 100), last);
  EXPECT_FALSE(has(pool, 8 * mib));
}

// When a process changes from one program to another, the first program's memory is dropped.
TEST(MemoryPool, ForgetsWhatCameFirst) {
  MemoryPool pool;
  size_t bytes = 0;
  for (size_t size = 10 * mib; bytes <= MemoryPool::mostKept; size += 4 * mib) {
    takeAndGiveBack(pool, size);
    bytes += size;
  }
  takeAndGiveBack(pool, 7 * mib);
  EXPECT_TRUE(has(pool, 7 * mib));
  EXPECT_FALSE(has(pool, 10 * mib));
}

TEST(MemoryPool, KeepsNoneThatIsLargerThanAll) {
  MemoryPool pool;
  takeAndGiveBack(pool, 2 * mib);
  takeAndGiveBack(pool, MemoryPool::mostKept * 2);
  EXPECT_FALSE(has(pool, MemoryPool::mostKept * 2));
  EXPECT_TRUE(has(pool, 2 * mib));
}

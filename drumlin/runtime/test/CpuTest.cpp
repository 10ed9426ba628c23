#include "drumlin/runtime/cpu/AlignedMemory.h"
#include "drumlin/support/CpuFeatures.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace drumlin;

TEST(AlignedMemory, IsAlignedAndZero) {
  for (size_t bytes : {size_t(0), size_t(1), size_t(4096), size_t(5000), size_t(3) << 20}) {
    std::optional<AlignedMemory> memory = AlignedMemory::allocate(bytes);
    ASSERT_TRUE(memory.has_value());
    EXPECT_EQ(memory->size(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory->data()) % 64, 0u);
    // The 64 bytes past the end may be read, too.
    EXPECT_TRUE(std::all_of(memory->data(), memory->data() + bytes + 64,
                            [](std::byte b) { return b == std::byte(0); }));
    AlignedMemory moved = std::move(*memory);
    EXPECT_EQ(memory->data(), nullptr);
    EXPECT_EQ(moved.size(), bytes);
  }
}

TEST(AlignedMemory, BeginsAtAnotherPlaceOfThePageEachTime) {
  for (size_t bytes : {size_t(8192), size_t(4) << 20}) {
    std::vector<AlignedMemory> memories;
    std::set<uintptr_t> places;
    for (int i = 0; i < 64; ++i) {
      memories.push_back(std::move(*AlignedMemory::allocate(bytes)));
      places.insert(reinterpret_cast<uintptr_t>(memories.back().data()) % 4096);
    }
    EXPECT_EQ(places.size(), 64u);
  }
}

TEST(AlignedMemory, RefusesWhatCannotBe) {
  EXPECT_FALSE(AlignedMemory::allocate(SIZE_MAX).has_value());
  EXPECT_FALSE(AlignedMemory::allocate(size_t(1) << 50).has_value());
}

TEST(CpuFeatures, AreSortedAndMatchTheCompilersView) {
  std::vector<std::string> features = hostCpuFeatures();
  EXPECT_TRUE(std::is_sorted(features.begin(), features.end()));
  EXPECT_EQ(std::adjacent_find(features.begin(), features.end()), features.end());
#if defined(__x86_64__)
  auto has = [&](const char *name) {
    return std::binary_search(features.begin(), features.end(), name);
  };
  EXPECT_TRUE(has("sse2"));
  EXPECT_EQ(has("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(has("fma"), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(has("avx512f"), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(has("avx512bf16"), __builtin_cpu_supports("avx512bf16") != 0);
  EXPECT_EQ(has("avx512vnni"), __builtin_cpu_supports("avx512vnni") != 0);
#endif
}

TEST(CpuFeatures, UnknownOnesAreMissing) {
  std::vector<std::string> required = {"warp-drive", "", "another"};
  EXPECT_EQ(missingCpuFeatures(required), required);
  EXPECT_TRUE(missingCpuFeatures(hostCpuFeatures()).empty());
}

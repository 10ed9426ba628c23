// Compiled kernels on disk: found again, never trusted when damaged, never needed.
#include "drumlin/driver/KernelCache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace drumlin {

class KernelCacheTest : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() /
             ("drumlin-cache-" + std::to_string(getpid()) + "-" +
              testing::UnitTest::GetInstance()->current_test_info()->name());
    options.cacheDirectory = folder;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) {
        found.push_back(entry.path());
      }
    }
    return found;
  }

  std::filesystem::path folder;
  CompileOptions options;
};

TEST_F(KernelCacheTest, GivesBackWhatWasStored) {
  KernelCache cache(options);
  EXPECT_FALSE(cache.lookup("abcd"));
  std::string content("bytes\0with\nlines\n", 17);
  cache.store("abcd", content);
  EXPECT_EQ(cache.lookup("abcd"), content);
  EXPECT_EQ(KernelCache(options).lookup("abcd"), content);
  EXPECT_FALSE(cache.lookup("abce"));
}

TEST_F(KernelCacheTest, DamagedFileIsAMissAndIsReplaced) {
  KernelCache cache(options);
  cache.store("abcd", "content");
  ASSERT_EQ(files().size(), 1u);
  std::filesystem::path file = files().front();
  uintmax_t size = std::filesystem::file_size(file);
  for (const std::string &damage : {std::string(), std::string("x"), std::string(size, 'y')}) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << damage;
    EXPECT_FALSE(cache.lookup("abcd"));
    cache.store("abcd", "content");
    EXPECT_EQ(cache.lookup("abcd"), "content");
  }
  // One flipped bit anywhere.
  for (uintmax_t i = 0; i < size; ++i) {
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekg(static_cast<std::streamoff>(i));
    char byte = static_cast<char>(stream.get());
    stream.seekp(static_cast<std::streamoff>(i));
    stream.put(static_cast<char>(byte ^ 1));
    stream.flush();
    EXPECT_FALSE(cache.lookup("abcd")) << i;
    stream.seekp(static_cast<std::streamoff>(i));
    stream.put(byte);
  }
  EXPECT_EQ(cache.lookup("abcd"), "content");
}

TEST_F(KernelCacheTest, EntryUnderAnotherKeyIsAMiss) {
  KernelCache cache(options);
  cache.store("abcd", "content");
  std::filesystem::path file = files().front();
  std::filesystem::copy_file(file, file.parent_path() / "abce");
  EXPECT_FALSE(cache.lookup("abce"));
  EXPECT_EQ(cache.lookup("abcd"), "content");
}

TEST_F(KernelCacheTest, SwitchedOffWritesNothing) {
  options.useCache = false;
  KernelCache cache(options);
  cache.store("abcd", "content");
  EXPECT_FALSE(cache.lookup("abcd"));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(KernelCacheTest, FolderThatCannotBeMadeIsNoError) {
  std::ofstream(folder) << "a file stands where the folder should";
  KernelCache cache(options);
  cache.store("abcd", "content");
  EXPECT_FALSE(cache.lookup("abcd"));
}

TEST_F(KernelCacheTest, ManyWritersOfOneKeyLeaveOneWholeFile) {
  KernelCache cache(options);
  std::string content(1 << 16, 'z');
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        cache.store("abcd", content);
        EXPECT_EQ(cache.lookup("abcd"), content);
      }
    });
  }
  for (std::thread &writer : writers) {
    writer.join();
  }
  EXPECT_EQ(files().size(), 1u);
}

} // namespace drumlin

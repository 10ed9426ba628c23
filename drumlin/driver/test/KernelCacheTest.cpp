// Compiled kernels on disk: found again, never trusted when damaged, never needed.
#include "drumlin/driver/KernelCache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
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
    options.warn = [this](const Diagnostic &warning) { warnings.push_back(warning); };
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && entry.path().filename() != ".stored") {
        found.push_back(entry.path());
      }
    }
    return found;
  }

  // The file of an entry that is stored now.
  std::filesystem::path stored(const KernelCache &cache, std::string_view key,
                               std::string_view content) const {
    std::vector<std::filesystem::path> before = files();
    cache.store(key, content);
    for (const std::filesystem::path &file : files()) {
      if (std::find(before.begin(), before.end(), file) == before.end()) {
        return file;
      }
    }
    return {};
  }

  static void age(const std::filesystem::path &file, std::chrono::hours hours) {
    std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - hours);
  }

  std::filesystem::path folder;
  CompileOptions options;
  std::vector<Diagnostic> warnings;
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
  std::filesystem::path file = stored(cache, "abcd", "content");
  std::filesystem::path other = stored(cache, "abce", "other content");
  std::filesystem::copy_file(file, other, std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(cache.lookup("abce"));
  EXPECT_EQ(cache.lookup("abcd"), "content");
}

TEST_F(KernelCacheTest, VersionsShareNothing) {
  KernelCache old(options, "1"), recent(options, "2");
  old.store("abcd", "old");
  EXPECT_FALSE(recent.lookup("abcd"));
  recent.store("abcd", "recent");
  EXPECT_EQ(old.lookup("abcd"), "old");
  EXPECT_EQ(recent.lookup("abcd"), "recent");
}

TEST_F(KernelCacheTest, WithoutAVersionItIsOff) {
  EXPECT_GE(buildId().size(), 16u);
  KernelCache cache(options, "");
  cache.store("abcd", "content");
  EXPECT_FALSE(cache.lookup("abcd"));
  EXPECT_FALSE(std::filesystem::exists(folder));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, DiagnosticCode::CacheUnusable);
}

// Whoever can write to the folder could have code of theirs compiled into the user's images.
TEST_F(KernelCacheTest, FolderOfOthersIsNotUsed) {
  KernelCache(options).store("abcd", "content");
  struct stat status;
  ASSERT_EQ(stat(folder.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  for (mode_t mode : {0770u, 0707u, 0722u}) {
    ASSERT_EQ(chmod(folder.c_str(), mode), 0);
    warnings.clear();
    EXPECT_FALSE(KernelCache(options).lookup("abcd"));
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].str("warning").find("warning D1008: "), std::string::npos);
    EXPECT_NE(warnings[0].remedy.find("chmod go-w"), std::string::npos);
  }
  ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
  EXPECT_EQ(KernelCache(options).lookup("abcd"), "content");
  if (geteuid() == 0) {
    ASSERT_EQ(chown(folder.c_str(), 1, 1), 0);
    EXPECT_FALSE(KernelCache(options).lookup("abcd"));
  }
}

TEST_F(KernelCacheTest, EntriesOfOthersAreMisses) {
  KernelCache cache(options);
  std::filesystem::path file = stored(cache, "abcd", "content");
  ASSERT_EQ(chmod(file.c_str(), 0622), 0);
  EXPECT_FALSE(cache.lookup("abcd"));
  ASSERT_EQ(chmod(file.c_str(), 0600), 0);
  ASSERT_EQ(chmod(file.parent_path().c_str(), 0770), 0);
  EXPECT_FALSE(cache.lookup("abcd"));
}

TEST_F(KernelCacheTest, SymbolicLinksAreNotFollowed) {
  KernelCache cache(options);
  std::filesystem::path file = stored(cache, "abcd", "content");
  std::filesystem::path elsewhere = folder / "elsewhere";
  std::filesystem::rename(file, elsewhere);
  std::filesystem::create_symlink(elsewhere, file);
  EXPECT_FALSE(cache.lookup("abcd"));
  // Storing replaces the link, and leaves what it points at.
  cache.store("abcd", "more content");
  EXPECT_EQ(cache.lookup("abcd"), "more content");
  EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(file)));
  // A folder that is a link: nothing is read or written there.
  std::filesystem::path inner = file.parent_path(), moved = folder / "moved";
  std::filesystem::rename(inner, moved);
  std::filesystem::create_directory_symlink(moved, inner);
  EXPECT_FALSE(cache.lookup("abcd"));
  std::filesystem::remove(moved / file.filename());
  cache.store("abcd", "content");
  EXPECT_FALSE(std::filesystem::exists(moved / file.filename()));
}

// The limit holds at all times, and what was used last stays.
TEST_F(KernelCacheTest, OldestEntriesGo) {
  options.cacheBytes = 1 << 20;
  KernelCache cache(options);
  std::string content(30000, 'z');
  std::filesystem::path used = stored(cache, "used", content);
  std::filesystem::path unused = stored(cache, "unused", content);
  age(used, std::chrono::hours(200));
  age(unused, std::chrono::hours(100));
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(cache.lookup("used")) << i;
    cache.store("entry" + std::to_string(i), content);
    uintmax_t total = 0;
    for (const std::filesystem::path &file : files()) {
      total += std::filesystem::file_size(file);
    }
    ASSERT_LE(total, options.cacheBytes) << i;
  }
  EXPECT_FALSE(std::filesystem::exists(unused));
  EXPECT_GE(files().size(), 25u);
  options.cacheBytes = 0;
  EXPECT_FALSE(KernelCache(options).lookup("entry99"));
}

TEST_F(KernelCacheTest, TemporariesOfKilledProcessesGo) {
  std::filesystem::create_directories(folder / "ab");
  std::filesystem::path left = folder / "ab" / ".drumlin-1-0.tmp",
                        young = folder / "ab" / ".drumlin-2-0.tmp";
  std::ofstream(left) << "half";
  std::ofstream(young) << "half";
  age(left, std::chrono::hours(2));
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  KernelCache(options).store("abcd", "content");
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(young));
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

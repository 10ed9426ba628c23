// Tests the kernel cache: compiled kernels on disk are found again, damaged entries are never used,
// and compilation also works without a cache.
#include "drumlin/driver/KernelCache.h"
#include "drumlin/support/Hash.h"
#include "drumlin/support/diagnostics/FileErrors.h"

#include <gtest/gtest.h>

#include <algorithm>
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
      if (entry.is_regular_file() && entry.path().filename() != ".stored" &&
          entry.path().filename() != "CACHEDIR.TAG") {
        found.push_back(entry.path());
      }
    }
    return found;
  }

  // Returns the file of the entry that was just stored.
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
  // Flips one bit of each byte, one byte at a time.
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
  EXPECT_EQ(warnings[0].code, errors::CacheUnusable);
}

// Anyone who can write to the folder could put code into the user's images.
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
  // Storing replaces the link and leaves its target unchanged.
  cache.store("abcd", "more content");
  EXPECT_EQ(cache.lookup("abcd"), "more content");
  EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(file)));
  // A folder that is a link is neither read nor written.
  std::filesystem::path inner = file.parent_path(), moved = folder / "moved";
  std::filesystem::rename(inner, moved);
  std::filesystem::create_directory_symlink(moved, inner);
  EXPECT_FALSE(cache.lookup("abcd"));
  std::filesystem::remove(moved / file.filename());
  cache.store("abcd", "content");
  EXPECT_FALSE(std::filesystem::exists(moved / file.filename()));
}

// The cache never exceeds its limit, and keeps the most recently used entries.
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
  KernelCache(options).store("first", "content");
  std::filesystem::path inner = files().front().parent_path();
  std::filesystem::path left = inner / ".drumlin-1-0.tmp", young = inner / ".drumlin-2-0.tmp",
                        above = folder / ".drumlin-1-1.tmp", others = inner / ".drumlin-a-0.tmp";
  for (const std::filesystem::path &file : {left, young, above, others}) {
    std::ofstream(file) << "half";
    age(file, std::chrono::hours(file == young ? 0 : 2));
  }
  std::filesystem::remove(folder / ".stored"); // forces a sweep at the next entry
  KernelCache(options).store("abcd", "content");
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_FALSE(std::filesystem::exists(above));
  EXPECT_TRUE(std::filesystem::exists(young));
  EXPECT_TRUE(std::filesystem::exists(others));
}

//===- folders that have other files ------------------------------------------------===//

// Fills a cache with enough entries for many sweeps.
static void storeMuch(const CompileOptions &options) {
  KernelCache cache(options);
  for (int i = 0; i < 40; ++i) {
    cache.store("entry" + std::to_string(i), std::string(100000, 'z'));
  }
}

static std::vector<std::string> namesIn(const std::filesystem::path &folder) {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
    names.push_back(entry.path().lexically_relative(folder));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// If the cache's folder is, for example, a home folder, its other files stay, whatever their names
// are and however full the cache gets.
TEST_F(KernelCacheTest, FilesOfTheUserAreLeftAlone) {
  options.cacheBytes = 1 << 20;
  std::string entry(64, 'a');
  for (std::filesystem::path file :
       {"thesis/chapter.tex", "ab/notes", "aa/entry", ".drumlin-1-0.tmp", ".stored"}) {
    file = folder / (file == "aa/entry" ? "aa/" + entry : file.string());
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "the user's";
    age(file, std::chrono::hours(100000));
  }
  std::vector<std::string> before = namesIn(folder);
  storeMuch(options);
  EXPECT_TRUE(std::filesystem::exists(folder / "drumlin-kernels" / "CACHEDIR.TAG"));
  EXPECT_TRUE(KernelCache(options).lookup("entry39"));
  EXPECT_FALSE(KernelCache(options).lookup("entry0"));
  std::filesystem::remove_all(folder / "drumlin-kernels");
  EXPECT_EQ(namesIn(folder), before);
  EXPECT_TRUE(warnings.empty());
}

// Even in the cache's own folder, only files with the cache's names are removed.
TEST_F(KernelCacheTest, OtherNamesInTheCacheAreLeftAlone) {
  options.cacheBytes = 1 << 20;
  KernelCache cache(options);
  std::filesystem::path entry = stored(cache, "abcd", std::string(1000, 'x'));
  std::vector<std::filesystem::path> kept = {entry.string() + "0",
                                             entry.parent_path() / "notes",
                                             folder / "notes",
                                             folder / "other" / entry.filename(),
                                             folder / "zz" / entry.filename(),
                                             entry.parent_path() /
                                                 std::string(contentHashDigits, 'g')};
  for (const std::filesystem::path &file : kept) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << std::string(1 << 20, 'u');
    age(file, std::chrono::hours(1000));
  }
  // Neither a symbolic link with the name of an entry nor the link's target is removed.
  std::filesystem::path linked = entry.parent_path() / (entry.filename().string().substr(0, 2) +
                                                        std::string(contentHashDigits - 2, '0'));
  std::filesystem::create_symlink(folder / "notes", linked);
  age(entry, std::chrono::hours(1000));
  storeMuch(options);
  EXPECT_FALSE(std::filesystem::exists(entry));
  for (const std::filesystem::path &file : kept) {
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
  }
  EXPECT_TRUE(std::filesystem::is_symlink(linked));
}

// If a folder of entries is replaced by a symbolic link, neither the link nor its target is
// changed.
TEST_F(KernelCacheTest, LinksToFoldersAreNotSwept) {
  options.cacheBytes = 1 << 20;
  KernelCache cache(options);
  std::filesystem::path entry = stored(cache, "abcd", "content");
  std::filesystem::path elsewhere = folder.string() + "-elsewhere";
  std::filesystem::rename(entry.parent_path(), elsewhere);
  std::filesystem::create_directory_symlink(elsewhere, entry.parent_path());
  age(elsewhere / entry.filename(), std::chrono::hours(1000));
  storeMuch(options);
  EXPECT_TRUE(std::filesystem::exists(elsewhere / entry.filename()));
  std::filesystem::remove_all(elsewhere);
}

// A folder doesn't belong to the cache if its mark was written by another program or for another
// version, is a link to Drumlin's mark, or is writable by others.
TEST_F(KernelCacheTest, OnlyTheOwnMarkCounts) {
  KernelCache(options).store("abcd", "content");
  std::filesystem::path tag = folder / "CACHEDIR.TAG", inner = folder / "drumlin-kernels";
  std::string text;
  std::getline(std::ifstream(tag), text, '\0');
  ASSERT_TRUE(text.starts_with("Signature: 8a477f597d28d172789f06886806bc55\n"));
  std::string newer = text;
  newer.replace(newer.find("cache 1"), 7, "cache 2");
  for (const std::string &other : {text.substr(0, text.find('\n') + 1), newer, std::string()}) {
    std::ofstream(tag, std::ios::trunc) << other;
    EXPECT_EQ(CacheFolder(folder, CacheFolder::Access::Inspect).path(), inner);
    EXPECT_FALSE(KernelCache(options).lookup("abcd"));
  }
  std::ofstream(tag, std::ios::trunc) << text;
  EXPECT_EQ(CacheFolder(folder, CacheFolder::Access::Inspect).path(), folder);
  EXPECT_TRUE(KernelCache(options).lookup("abcd"));
  ASSERT_EQ(chmod(tag.c_str(), 0666), 0);
  EXPECT_EQ(CacheFolder(folder, CacheFolder::Access::Inspect).path(), inner);
  std::filesystem::rename(tag, folder / "tag");
  ASSERT_EQ(chmod((folder / "tag").c_str(), 0600), 0);
  std::filesystem::create_symlink("tag", tag);
  EXPECT_EQ(CacheFolder(folder, CacheFolder::Access::Inspect).path(), inner);
}

// The inner folder has files but no mark, so kernels can't be kept anywhere.
TEST_F(KernelCacheTest, FolderInsideWithoutAMarkIsNotUsed) {
  std::filesystem::create_directories(folder / "drumlin-kernels" / "ab");
  std::vector<std::string> before = namesIn(folder);
  storeMuch(options);
  EXPECT_EQ(namesIn(folder), before);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].code, errors::CacheUnusable);
  EXPECT_EQ(warnings[0].location, folder / "drumlin-kernels");
}

TEST_F(KernelCacheTest, LookingWritesNothing) {
  CacheFolder none(folder, CacheFolder::Access::Inspect);
  EXPECT_EQ(none.path(), folder);
  EXPECT_TRUE(none.mayWrite());
  EXPECT_FALSE(std::filesystem::exists(folder));
  std::filesystem::create_directories(folder);
  EXPECT_TRUE(CacheFolder(folder, CacheFolder::Access::Inspect).mayWrite());
  EXPECT_TRUE(namesIn(folder).empty());
  std::ofstream(folder / "file") << "the user's";
  CacheFolder inside(folder, CacheFolder::Access::Inspect);
  EXPECT_EQ(inside.path(), folder / "drumlin-kernels");
  EXPECT_TRUE(inside.mayWrite());
  EXPECT_EQ(namesIn(folder), std::vector<std::string>{"file"});
  EXPECT_FALSE(CacheFolder(folder / "file", CacheFolder::Access::Inspect).mayWrite());
  EXPECT_FALSE(CacheFolder(folder / "file" / "below", CacheFolder::Access::Inspect).mayWrite());
}

// One of several processes marks the folder, and the other processes find the mark. No process
// takes the folder for one with foreign files.
TEST_F(KernelCacheTest, ManyAtOnceUseOneFolder) {
  for (int round = 0; round < 20; ++round) {
    std::filesystem::remove_all(folder);
    std::vector<std::thread> users;
    for (int i = 0; i < 8; ++i) {
      users.emplace_back([&, i] { KernelCache(options).store(std::to_string(i), "content"); });
    }
    for (std::thread &user : users) {
      user.join();
    }
    EXPECT_EQ(files().size(), 8u);
    EXPECT_FALSE(std::filesystem::exists(folder / "drumlin-kernels"));
  }
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

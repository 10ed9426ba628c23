#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/Hash.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/diagnostics/FileErrors.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

using namespace drumlin;

static std::string read(const std::string &path) {
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  EXPECT_TRUE(file);
  return file ? std::string(reinterpret_cast<const char *>((*file)->bytes().data()),
                            (*file)->bytes().size())
              : "";
}

class Files : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "drumlin-files-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern + "/";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  size_t entries() {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                             std::filesystem::directory_iterator()));
  }
  std::string folder;
};

TEST_F(Files, AppearOnlyWhenCommitted) {
  {
    Result<AtomicFile> file = AtomicFile::create(folder + "a");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("first"));
    EXPECT_FALSE(std::filesystem::exists(folder + "a"));
    EXPECT_EQ(entries(), 1u);
    AtomicFile moved = std::move(*file);
    ASSERT_TRUE(moved.write(" part"));
    ASSERT_TRUE(moved.commit());
  }
  EXPECT_EQ(read(folder + "a"), "first part");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, AbandonedOnesLeaveNothing) {
  {
    Result<AtomicFile> file = AtomicFile::create(folder + "a");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("x"));
  }
  EXPECT_EQ(entries(), 0u);
  Result<AtomicFile> file = AtomicFile::create(folder + "a");
  ASSERT_TRUE(file);
  removeTemporaries();
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Files, ReplaceTheTargetOfALink) {
  ASSERT_TRUE(writeFile(folder + "target", "old"));
  std::filesystem::create_symlink("target", folder + "link");
  std::filesystem::permissions(folder + "target", std::filesystem::perms(0640));
  ASSERT_TRUE(writeFile(folder + "link", "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder + "link"));
  EXPECT_EQ(read(folder + "target"), "new");
  EXPECT_EQ(std::filesystem::status(folder + "target").permissions(), std::filesystem::perms(0640));
}

// A device is written in place, never replaced.
TEST_F(Files, WriteDevicesInPlace) {
  ASSERT_TRUE(writeFile("/dev/null", "gone"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(Files, ErrorsNameThePath) {
  Status status = writeFile(folder + "absent/a", "x");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errors::FileNotWritable);
  EXPECT_EQ(status.error().location, folder + "absent/a");
  ASSERT_FALSE(writeFile(folder, "x"));
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(folder + "absent");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, errors::FileNotReadable);
  EXPECT_FALSE(MappedFile::open(folder));
}

TEST_F(Files, EmptyAndUnsizedFilesAreRead) {
  ASSERT_TRUE(writeFile(folder + "empty", ""));
  EXPECT_EQ(read(folder + "empty"), "");
  EXPECT_FALSE(read("/proc/self/status").empty());
}

TEST_F(Files, CopyOnWriteStaysInTheProcess) {
  ASSERT_TRUE(writeFile(folder + "a", "abc"));
  Result<std::shared_ptr<MappedFile>> file =
      MappedFile::open(folder + "a", MappedFile::Access::CopyOnWrite);
  ASSERT_TRUE(file);
  (*file)->writable()[0] = std::byte('x');
  EXPECT_EQ(read(folder + "a"), "abc");
}

TEST_F(Files, ReleasedPagesAreReadAgain) {
  std::string text(20000, 'x');
  text[10000] = 'y';
  ASSERT_TRUE(writeFile(folder + "a", text));
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(folder + "a");
  ASSERT_TRUE(file);
  for (auto reading : {MappedFile::Reading::Scattered, MappedFile::Reading::Ahead}) {
    (*file)->expect(reading);
    EXPECT_EQ((*file)->text(), text);
    (*file)->release((*file)->bytes().subspan(5));
    (*file)->release((*file)->bytes().first(3));
  }
  EXPECT_EQ((*file)->text(), text);
  // A file that isn't mapped has no pages to release.
  Result<std::shared_ptr<MappedFile>> unsized = MappedFile::open("/proc/self/status");
  ASSERT_TRUE(unsized);
  std::string before((*unsized)->text());
  (*unsized)->expect(MappedFile::Reading::Scattered);
  (*unsized)->release((*unsized)->bytes());
  EXPECT_EQ((*unsized)->text(), before);
}

TEST_F(Files, TemporariesHaveNamesOfTheirOwn) {
  EXPECT_TRUE(isTemporaryFileName(temporaryFileName()));
  EXPECT_NE(temporaryFileName(), temporaryFileName());
  for (const char *name : {"", ".drumlin-", ".tmp", ".drumlin-1.tmp", ".drumlin-1-.tmp",
                           ".drumlin--1.tmp", ".drumlin-1-a.tmp", ".drumlin-1-1-1.tmp",
                           ".drumlin-1-1.tmp2", "x.drumlin-1-1.tmp", ".drumlin.tmp"}) {
    EXPECT_FALSE(isTemporaryFileName(name)) << name;
  }
}

// Temporaries of killed processes are removed; files being written stay, however old, and so do
// files of other kinds.
TEST_F(Files, LeftTemporariesGo) {
  auto age = [](const std::string &path) {
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() -
                                               std::chrono::hours(2));
  };
  std::string left = folder + ".drumlin-1-0.tmp", young = folder + ".drumlin-1-1.tmp",
              linked = folder + ".drumlin-1-2.tmp", alias = folder + ".drumlin-1-3.tmp",
              inner = folder + ".drumlin-1-4.tmp", other = folder + ".drumlin-x.tmp";
  for (const std::string &path : {left, young, alias, other}) {
    ASSERT_TRUE(writeFile(path, "half"));
  }
  std::filesystem::create_hard_link(alias, folder + "kept");
  std::filesystem::create_symlink("kept", linked);
  std::filesystem::create_directory(inner);
  for (const std::string &path : {left, alias, other, inner}) {
    age(path);
  }
  Result<AtomicFile> file = AtomicFile::create(folder + "a");
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("text"));
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (isTemporaryFileName(entry.path().filename().string()) && !entry.is_symlink() &&
        entry.path() != young) {
      age(entry.path());
    }
  }
  size_t before = entries();
  removeLeftTemporaries(folder);
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_EQ(entries(), before - 1);
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read(folder + "a"), "text");
}

// The digest of the empty input, as the algorithm's authors publish it: the hash is stable across
// versions.
TEST(Hash, IsStable) {
  EXPECT_EQ(contentHash(""), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
  EXPECT_EQ(contentHash("abc").size(), contentHashDigits);
  EXPECT_NE(contentHash("abc"), contentHash("abd"));
}

// Two arrays constructed to have the same 128-bit XXH3 hash. If an input word equals the word of
// XXH3's secret for its position, its neighbour counts only as an addend. So two such neighbours
// can be exchanged without changing the hash.
TEST(Hash, ArraysOfOneForgedHashDiffer) {
  constexpr size_t block = 5 * 256, stripe = 16, lane = 2;
  std::vector<uint32_t> words(8192, 0x3f000000u);
  words[block + stripe + 2 * lane] = 0xa4a44072u;
  words[block + 5 * stripe + 2 * lane] = 0xe69035e0u;
  std::vector<uint32_t> other = words;
  words[block + stripe + 2 * lane + 1] = other[block + 5 * stripe + 2 * lane + 1] = 0x3f800000u;
  words[block + 5 * stripe + 2 * lane + 1] = other[block + stripe + 2 * lane + 1] = 0xc47a0000u;
  EXPECT_NE(contentHash(std::as_bytes(std::span(words))),
            contentHash(std::as_bytes(std::span(other))));
}

TEST(Hash, BytesOfDigits) { EXPECT_EQ(hashBytes("00ff7a"), std::string("\x00\xff\x7a", 3)); }

TEST(Hash, PiecesMakeTheWhole) {
  Hasher hasher;
  hasher.add("ab");
  hasher.add("");
  hasher.add("c");
  EXPECT_EQ(hasher.str(), contentHash("abc"));
  Hasher first, second;
  first.addField("ab");
  first.addField("c");
  second.addField("a");
  second.addField("bc");
  EXPECT_NE(first.str(), second.str());
}

#include "drumlin/runtime/executable/ImmutableFile.h"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace drumlin;

static constexpr size_t FileBytes = 3 * 4096 + 5;

// Expects that none of Linux's ways to change the file works.
static void expectImmutable(int file) {
  char byte = 'x';
  EXPECT_EQ(pwrite(file, &byte, 1, 0), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(mmap(nullptr, FileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), MAP_FAILED);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(ftruncate(file, 1), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(ftruncate(file, 2 * FileBytes), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(fcntl(file, F_ADD_SEALS, F_SEAL_WRITE), -1);
  EXPECT_EQ(errno, EPERM);
}

TEST(ImmutableFile, HoldsTheBytesAndCannotBeChanged) {
  std::string bytes(FileBytes, 'a');
  int file = immutableCopy({std::as_bytes(std::span(bytes))});
  ASSERT_GE(file, 0);
  expectImmutable(file);
  // The loader maps code as private, writable for relocations.
  void *memory = mmap(nullptr, FileBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  ASSERT_NE(memory, MAP_FAILED);
  EXPECT_EQ(std::string(static_cast<char *>(memory), FileBytes), bytes);
  munmap(memory, FileBytes);
  close(file);
}

TEST(ImmutableFile, OfNothing) {
  int file = immutableCopy({});
  ASSERT_GE(file, 0);
  EXPECT_EQ(lseek(file, 0, SEEK_END), 0);
  close(file);
}

// The system holds references to pages while it moves or swaps them; a pipe does so until it is
// read.
TEST(ImmutableFile, WhileItsPagesAreReferredTo) {
  int file = memfd_create("pages", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_GE(file, 0);
  std::string bytes(FileBytes, 'a');
  ASSERT_EQ(write(file, bytes.data(), FileBytes), static_cast<ssize_t>(FileBytes));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  loff_t from = 0;
  ASSERT_GT(splice(file, &from, ends[1], nullptr, FileBytes, 0), 0);
  EXPECT_TRUE(makeImmutable(file));
  expectImmutable(file);
  close(ends[0]);
  close(ends[1]);
  close(file);
}

TEST(ImmutableFile, TellsWhatTheSystemRefuses) {
  EXPECT_FALSE(makeImmutable(-1));
  EXPECT_EQ(errno, EBADF);
}

#include "drumlin/support/SystemError.h"

#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace drumlin;

TEST(SystemError, SaysWhatTheSystemSays) {
  Diagnostic error = systemError(errors::FileNotReadable, "can't read", ENOENT, "a");
  EXPECT_EQ(error.str(), "a: error D1001: can't read: No such file or directory\n  hint: check the "
                         "path and its permissions\n");
  EXPECT_EQ(systemError(errors::OutOfMemory, "", ENFILE).code, errors::OpenFilesLimit);
}

// While the process is at its limit of open files, any failed open says to raise the limit, not to
// check the path and its permissions.
TEST(SystemError, TooManyOpenFilesAreTold) {
  EXPECT_FALSE(areFilesExhausted());
  rlimit before = {}, none = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  Result<std::shared_ptr<MappedFile>> read = MappedFile::open("/dev/null");
  Status written = writeFile(testing::TempDir() + "drumlin-none", "text");
  bool isExhausted = areFilesExhausted();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, errors::OpenFilesLimit);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, errors::OpenFilesLimit);
  EXPECT_TRUE(isExhausted);
}

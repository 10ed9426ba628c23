#include "drumlin/runtime/executable/ImmutableFile.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace drumlin {

static bool writeAll(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

int immutableCopy(std::initializer_list<std::span<const std::byte>> parts) {
  int file = memfd_create("drumlin", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  bool isWritten = file >= 0;
  for (std::span<const std::byte> bytes : parts) {
    isWritten = isWritten && writeAll(file, bytes);
  }
  if (file >= 0 && !(isWritten && makeImmutable(file))) {
    ::close(file);
    return -1;
  }
  return file;
}

// fcntl(2): F_SEAL_WRITE fails with EBUSY while the file has writable mappings. Linux also counts a
// page as mapped while another part of the system briefly references it, for example to compact
// memory. F_SEAL_FUTURE_WRITE makes no such check, and forbids the same writes for a file that
// nobody has mapped. Linux before 5.1 rejects F_SEAL_FUTURE_WRITE as unknown.
bool makeImmutable(int file) {
  int others = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  return fcntl(file, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | others) == 0 ||
         (errno == EINVAL && fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | others) == 0);
}

} // namespace drumlin

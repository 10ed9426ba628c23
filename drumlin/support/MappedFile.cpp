#include "drumlin/support/MappedFile.h"

#include "drumlin/support/SystemError.h"
#include "drumlin/support/diagnostics/FileErrors.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drumlin {

static Diagnostic notReadable(const std::string &path, int error) {
  return systemError(errors::FileNotReadable, "can't read the file", error, path);
}

// Reads a file of unknown size to its end. Returns an errno, or 0 for success.
static int readWhole(int file, std::byte *&memory, size_t &size) {
  size_t capacity = 0;
  while (true) {
    if (size == capacity) {
      capacity = capacity ? capacity * 2 : size_t(1) << 16;
      void *grown = std::realloc(memory, capacity);
      if (!grown) {
        return ENOMEM;
      }
      memory = static_cast<std::byte *>(grown);
    }
    ssize_t got = ::read(file, memory + size, capacity - size);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return errno;
    }
    if (got == 0) {
      return 0;
    }
    size += static_cast<size_t>(got);
  }
}

Result<std::shared_ptr<MappedFile>> MappedFile::open(const std::string &path, Access access) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return notReadable(path, errno);
  }
  std::shared_ptr<MappedFile> result(new MappedFile());
  struct stat status;
  int error = 0;
  if (fstat(file, &status) != 0) {
    error = errno;
  } else if (S_ISDIR(status.st_mode)) {
    error = EISDIR;
  } else if (S_ISREG(status.st_mode) && status.st_size > 0) {
    int protection = access == Access::CopyOnWrite ? PROT_READ | PROT_WRITE : PROT_READ;
    // Mapped without reserving swap: a file of weights may exceed the machine's memory, and few of
    // its pages are ever written.
    void *memory = mmap(nullptr, static_cast<size_t>(status.st_size), protection,
                        MAP_PRIVATE | MAP_NORESERVE, file, 0);
    if (memory == MAP_FAILED) {
      error = errno;
    } else {
      result->memory = static_cast<std::byte *>(memory);
      result->size = static_cast<size_t>(status.st_size);
      result->mapped = true;
    }
  } else {
    // Files in /proc report a size of 0 but have contents.
    error = readWhole(file, result->memory, result->size);
  }
  ::close(file);
  if (error != 0) {
    return notReadable(path, error);
  }
  return result;
}

void MappedFile::expect(Reading reading) const {
  if (mapped) {
    madvise(memory, size, reading == Reading::Ahead ? MADV_NORMAL : MADV_RANDOM);
  }
}

void MappedFile::release(std::span<const std::byte> part) const {
  if (!mapped) {
    return;
  }
  auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto begin = (reinterpret_cast<uintptr_t>(part.data()) + page - 1) / page * page;
  auto end = reinterpret_cast<uintptr_t>(part.data() + part.size()) / page * page;
  if (begin < end) {
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
  }
}

MappedFile::~MappedFile() {
  if (mapped) {
    munmap(memory, size);
  } else {
    std::free(memory);
  }
}

} // namespace drumlin

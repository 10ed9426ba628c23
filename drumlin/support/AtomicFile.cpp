#include "drumlin/support/AtomicFile.h"

#include "drumlin/support/SystemError.h"
#include "drumlin/support/diagnostics/FileErrors.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drumlin {

static Diagnostic notWritable(const std::string &path, int error) {
  return systemError(errors::FileNotWritable, "can't write the file", error, path);
}

// The paths that signal handlers unlink. They are in fixed memory, since handlers can neither lock
// nor allocate. A file that finds no free slot is still written, but a signal then leaves its
// temporary behind.
enum class SlotState : uint8_t { Free, Filling, Used };
struct TemporarySlot {
  std::atomic<SlotState> state{SlotState::Free};
  char path[PATH_MAX];
};
static std::array<TemporarySlot, 64> temporarySlots;
static std::atomic<uint64_t> temporaryCounter;
static std::atomic<CommitHook> commitHook;

void setCommitHook(CommitHook hook) { commitHook.store(hook); }

static void tellHook(const std::string &target) {
  if (CommitHook hook = commitHook.load()) {
    hook(target);
  }
}

Status renameFile(const std::string &from, const std::string &to) {
  tellHook(to);
  return rename(from.c_str(), to.c_str()) == 0 ? Status(Done()) : Status(notWritable(to, errno));
}

static int takeSlot(const std::string &path) {
  if (path.size() >= PATH_MAX) {
    return -1;
  }
  for (size_t i = 0; i < temporarySlots.size(); ++i) {
    SlotState expected = SlotState::Free;
    if (temporarySlots[i].state.compare_exchange_strong(expected, SlotState::Filling)) {
      std::memcpy(temporarySlots[i].path, path.c_str(), path.size() + 1);
      temporarySlots[i].state.store(SlotState::Used);
      return static_cast<int>(i);
    }
  }
  return -1;
}

static void freeSlot(int slot) {
  if (slot >= 0) {
    temporarySlots[static_cast<size_t>(slot)].state.store(SlotState::Free);
  }
}

void removeTemporaries() {
  for (TemporarySlot &slot : temporarySlots) {
    if (slot.state.load() == SlotState::Used) {
      unlink(slot.path);
    }
  }
}

//===- names of temporaries ---------------------------------------------------------===//

static constexpr std::string_view temporaryPrefix = ".drumlin-", temporarySuffix = ".tmp";
// The age in seconds from which a temporary counts as abandoned. No writer waits this long between
// two writes, or before it locks the file.
static constexpr time_t temporaryLife = 60 * 60;

std::string temporaryFileName() {
  return std::string(temporaryPrefix) + std::to_string(getpid()) + "-" +
         std::to_string(temporaryCounter.fetch_add(1)) + std::string(temporarySuffix);
}

bool isTemporaryFileName(std::string_view name) {
  if (!name.starts_with(temporaryPrefix) || !name.ends_with(temporarySuffix)) {
    return false;
  }
  name.remove_prefix(temporaryPrefix.size());
  name.remove_suffix(std::min(name.size(), temporarySuffix.size()));
  size_t dash = name.find('-');
  auto isNumber = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  return dash != name.npos && isNumber(name.substr(0, dash)) && isNumber(name.substr(dash + 1));
}

static bool isLeft(const struct stat &status) {
  return S_ISREG(status.st_mode) && status.st_uid == geteuid() && status.st_nlink == 1 &&
         std::time(nullptr) - status.st_mtime > temporaryLife;
}

// Removes an abandoned temporary. The name may be given to another file meanwhile, so only the
// inspected file is unlinked.
static void removeIfLeft(int folder, const char *name) {
  struct stat before, opened, now;
  if (fstatat(folder, name, &before, AT_SYMLINK_NOFOLLOW) != 0 || !isLeft(before)) {
    return;
  }
  int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) {
    return;
  }
  if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &opened) == 0 && isLeft(opened) &&
      fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == opened.st_ino &&
      now.st_dev == opened.st_dev) {
    unlinkat(folder, name, 0);
  }
  ::close(file);
}

void removeLeftTemporaries(const std::string &folder) {
  DIR *listing = opendir(folder.c_str());
  if (!listing) {
    return;
  }
  while (dirent *entry = readdir(listing)) {
    if (isTemporaryFileName(entry->d_name)) {
      removeIfLeft(dirfd(listing), entry->d_name);
    }
  }
  closedir(listing);
}

//===- the file ---------------------------------------------------------------------===//

Diagnostic AtomicFile::failure(int error) const { return notWritable(path, error); }

Result<AtomicFile> AtomicFile::create(const std::string &path, unsigned mode) {
  AtomicFile result;
  result.path = path;
  result.target = path;
  bool exists = false;
  struct stat status;
  if (stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      return result.failure(EISDIR);
    }
    if (!S_ISREG(status.st_mode)) {
      result.file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (result.file < 0) {
        return result.failure(errno);
      }
      return result;
    }
    // Renaming would ignore the protection of a read-only file.
    if (access(path.c_str(), W_OK) != 0) {
      return result.failure(errno);
    }
    exists = true;
    mode = status.st_mode & 0777;
    if (char *resolved = realpath(path.c_str(), nullptr)) {
      result.target = resolved;
      std::free(resolved);
    }
  } else if (errno != ENOENT) {
    // Reports errors now, such as a name that is too long: renaming would report them only after
    // everything was written.
    return result.failure(errno);
  }
  size_t slash = result.target.rfind('/');
  std::string folder =
      slash == std::string::npos ? std::string() : result.target.substr(0, slash + 1);
  while (true) {
    result.temporary = folder + temporaryFileName();
    result.file = ::open(result.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (result.file >= 0) {
      break;
    }
    if (errno != EEXIST) {
      int error = errno;
      result.temporary.clear();
      return result.failure(error);
    }
  }
  result.slot = takeSlot(result.temporary);
  // The process holds the lock until it closes the file or ends, even if it is killed:
  // removeLeftTemporaries() relies on this.
  flock(result.file, LOCK_EX | LOCK_NB);
  if (exists) {
    // Restores the replaced file's mode, which the process's umask may have narrowed. If this
    // fails, the mode stays narrower.
    [[maybe_unused]] int ignored = fchmod(result.file, mode);
  }
  return result;
}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : path(std::move(other.path)), target(std::move(other.target)),
      temporary(std::move(other.temporary)), file(std::exchange(other.file, -1)),
      slot(std::exchange(other.slot, -1)) {
  other.temporary.clear();
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (file >= 0) {
    ::close(file);
    file = -1;
  }
  if (!temporary.empty()) {
    unlink(temporary.c_str());
    temporary.clear();
  }
  freeSlot(std::exchange(slot, -1));
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      return failure(errno);
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return Done();
}

Status AtomicFile::write(std::string_view text) { return write(std::as_bytes(std::span(text))); }

Status AtomicFile::commit() {
  if (temporary.empty()) {
    int closed = ::close(std::exchange(file, -1));
    return closed == 0 ? Status(Done()) : Status(failure(errno));
  }
  tellHook(target);
  if (fsync(file) != 0 || ::close(std::exchange(file, -1)) != 0 ||
      rename(temporary.c_str(), target.c_str()) != 0) {
    Diagnostic error = failure(errno);
    discard();
    return error;
  }
  temporary.clear();
  freeSlot(std::exchange(slot, -1));
  return Done();
}

static Status writeFile(const std::string &path, std::span<const std::byte> bytes, unsigned mode) {
  Result<AtomicFile> file = AtomicFile::create(path, mode);
  if (!file) {
    return file.error();
  }
  if (Status status = file->write(bytes); !status) {
    return status.error();
  }
  return file->commit();
}

Status writeFile(const std::string &path, std::span<const std::byte> bytes) {
  return writeFile(path, bytes, 0666);
}

Status writeFile(const std::string &path, std::string_view text, unsigned mode) {
  return writeFile(path, std::as_bytes(std::span(text)), mode);
}

} // namespace drumlin

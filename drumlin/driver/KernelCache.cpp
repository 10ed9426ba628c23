#include "drumlin/driver/KernelCache.h"

#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/Hash.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace drumlin {

// The name of a file that counts the bytes stored since the last sweep. It contains the time of
// that sweep, then one byte for each counterBlock bytes stored.
static constexpr const char *counterName = ".stored";
static constexpr uint64_t counterBlock = 1024;
// A sweep reads the whole folder. Each sweep frees 1/sweptShare of the limit, so that sweeps are
// rare.
static constexpr uint64_t sweptShare = 8;
static constexpr time_t sweepEvery = 24 * 60 * 60;
// Age, in seconds, from which a temporary file is certainly abandoned.
static constexpr time_t temporaryLife = 60 * 60;

std::optional<Diagnostic> cacheRefusal(const CacheFolder &folder, const std::string &version) {
  if (version.empty()) {
    return diagnose(errors::CacheUnusable,
                    "the kernel cache isn't used: this build has no build ID that would tell its "
                    "kernels from another build's",
                    "", "link Drumlin with `--build-id`, or pass `--no-cache`");
  }
  return folder.refusal();
}

static std::string folderToUse(const CompileOptions &options, const std::string &version) {
  bool isWanted = options.useCache && options.cacheBytes != 0 && !version.empty();
  return isWanted ? cacheDirectory(options) : "";
}

KernelCache::KernelCache(const CompileOptions &options, std::string version)
    : version(std::move(version)), maxBytes(options.cacheBytes),
      folder(folderToUse(options, this->version), CacheFolder::Access::Use) {
  bool isWanted = options.useCache && maxBytes != 0 && !cacheDirectory(options).empty();
  if (std::optional<Diagnostic> refusal = cacheRefusal(folder, this->version);
      isWanted && refusal && options.warn) {
    options.warn(*refusal);
  }
}

static std::string nameOf(std::string_view key, std::string_view version) {
  Hasher hasher;
  hasher.addField(version);
  hasher.addField(key);
  return hasher.str();
}

// Hashes the content and the name of an entry. If a file is renamed to another entry's name, its
// checksum is wrong, and the entry counts as damaged.
static std::string checksumOf(std::string_view name, std::string_view content) {
  Hasher hasher;
  hasher.addField(name);
  hasher.addField(content);
  return hasher.str();
}

static bool readWhole(int file, std::string &content) {
  char buffer[1 << 16];
  while (true) {
    ssize_t got = ::read(file, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return got == 0;
    }
    content.append(buffer, static_cast<size_t>(got));
  }
}

static bool writeWhole(int file, std::string_view content) {
  while (!content.empty()) {
    ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    content.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

std::optional<std::string> KernelCache::lookup(std::string_view key) const {
  if (!isUsed()) {
    return std::nullopt;
  }
  std::string name = nameOf(key, version);
  Descriptor inner(openFolder(folder.file(), innerFolderOf(name).c_str()));
  // Opening a named pipe without O_NONBLOCK could block.
  Descriptor file(
      inner < 0 ? -1 : openat(inner, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (file < 0 || !suspicionOf(inner).empty() || !suspicionOf(file).empty() ||
      fstat(file, &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<uint64_t>(status.st_size) > maxBytes) {
    return std::nullopt;
  }
  std::string bytes;
  if (!readWhole(file, bytes)) {
    return std::nullopt;
  }
  auto [checksum, content] = llvm::StringRef(bytes).split('\n');
  if (checksumOf(name, content) != std::string_view(checksum)) {
    return std::nullopt;
  }
  // Marks the entry as used now. This fails if the folder is read-only, but then no entries are
  // evicted either.
  futimens(file, nullptr);
  return content.str();
}

// Failing to write the cache is no error: the next compilation only takes longer.
void KernelCache::store(std::string_view key, std::string_view content) const {
  if (!isUsed() || content.size() > maxBytes / sweptShare) {
    return;
  }
  std::string name = nameOf(key, version);
  if (mkdirat(folder.file(), innerFolderOf(name).c_str(), 0700) != 0 && errno != EEXIST) {
    return;
  }
  Descriptor inner(openFolder(folder.file(), innerFolderOf(name).c_str()));
  if (inner < 0 || !suspicionOf(inner).empty()) {
    return;
  }
  std::string temporary = temporaryFileName();
  std::string bytes = checksumOf(name, content) + "\n" + std::string(content);
  // No fsync() is needed: an entry damaged by a machine crash is only a cache miss.
  Descriptor file(
      openat(inner, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file < 0) {
    return;
  }
  if (!writeWhole(file, bytes) || renameat(inner, temporary.c_str(), inner, name.c_str()) != 0) {
    unlinkat(inner, temporary.c_str(), 0);
    return;
  }
  countStored(bytes.size());
}

void KernelCache::countStored(size_t bytes) const {
  Descriptor counter(openat(folder.file(), counterName,
                            O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                            0600));
  struct stat status;
  if (counter < 0 || !suspicionOf(counter).empty() || fstat(counter, &status) != 0 ||
      !S_ISREG(status.st_mode)) {
    return;
  }
  std::string blocks((bytes + counterBlock - 1) / counterBlock, '\0');
  time_t swept = 0;
  bool isNew = pread(counter, &swept, sizeof(swept), 0) != sizeof(swept);
  if (!isNew && (!writeWhole(counter, blocks) || fstat(counter, &status) != 0)) {
    return;
  }
  if (isNew || static_cast<uint64_t>(status.st_size) > maxBytes / sweptShare / counterBlock ||
      std::time(nullptr) - swept > sweepEvery) {
    sweep(counter);
  }
}

void KernelCache::sweep(int counter) const {
  // Only one process sweeps at a time; other processes skip the sweep.
  if (flock(counter, LOCK_EX | LOCK_NB) != 0) {
    return;
  }
  struct Entry {
    timespec used;
    uint64_t bytes;
    std::string inner, name;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  time_t now = std::time(nullptr);
  folder.visit([&](const CacheFile &file) {
    if (file.isTemporary) {
      // A killed process has left this file behind.
      if (now - file.status.st_mtime > temporaryLife) {
        unlinkat(file.folder, file.name, 0);
      }
      return;
    }
    auto bytes = static_cast<uint64_t>(file.status.st_size);
    total += bytes;
    entries.push_back({file.status.st_mtim, bytes, file.inner, file.name});
  });
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.name) <
           std::tie(b.used.tv_sec, b.used.tv_nsec, b.name);
  });
  for (const Entry &entry : entries) {
    if (total <= maxBytes - maxBytes / sweptShare) {
      break;
    }
    // The folder's owner or permissions may have changed since visit() checked them.
    Descriptor inner(openFolder(folder.file(), entry.inner.c_str()));
    if (inner >= 0 && suspicionOf(inner).empty() && unlinkat(inner, entry.name.c_str(), 0) == 0) {
      total -= entry.bytes;
    }
  }
  [[maybe_unused]] bool reset =
      ftruncate(counter, 0) == 0 &&
      writeWhole(counter, {reinterpret_cast<const char *>(&now), sizeof(now)});
}

} // namespace drumlin

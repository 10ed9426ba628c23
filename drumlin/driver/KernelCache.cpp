#include "drumlin/driver/KernelCache.h"

#include "drumlin/support/Hash.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace drumlin {

static constexpr const char *temporaryPrefix = ".drumlin-";
// How much was stored since the last sweep, in blocks of this many bytes: one byte for each, behind
// the time of that sweep.
static constexpr const char *counterName = ".stored";
static constexpr uint64_t counterBlock = 1024;
// Sweeps read the whole folder, so they are rare: each frees this share of the limit.
static constexpr uint64_t sweptShare = 8;
static constexpr time_t sweepEvery = 24 * 60 * 60;
// Nobody takes longer to write an entry.
static constexpr time_t temporaryLife = 60 * 60;

namespace {
// A file descriptor that is closed when it goes.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  ~Descriptor() {
    if (number >= 0) {
      ::close(number);
    }
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  operator int() const { return number; }

private:
  int number;
};
} // namespace

static std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string cacheDirectory(const CompileOptions &options) {
  if (!options.cacheDirectory.empty()) {
    return options.cacheDirectory;
  }
  if (std::string chosen = environment("DRUMLIN_CACHE"); !chosen.empty()) {
    return chosen;
  }
  if (std::string base = environment("XDG_CACHE_HOME"); !base.empty()) {
    return base + "/drumlin";
  }
  std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/drumlin";
}

// Why what lies there may be somebody else's; nothing where it can't.
static std::string suspicionOf(int file) {
  struct stat status;
  if (fstat(file, &status) != 0) {
    return std::strerror(errno);
  }
  if (status.st_uid != geteuid()) {
    return "it belongs to user " + std::to_string(status.st_uid) + ", and this is user " +
           std::to_string(geteuid());
  }
  return status.st_mode & 022 ? "others may write to it" : "";
}

static int openFolder(int parent, const char *name) {
  return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

KernelCache::KernelCache(const CompileOptions &options, std::string version)
    : version(std::move(version)), maxBytes(options.cacheBytes) {
  std::string path = cacheDirectory(options);
  if (!options.useCache || maxBytes == 0 || path.empty()) {
    return;
  }
  auto refuse = [&](const std::string &why, const std::string &where, std::string remedy) {
    if (options.warn) {
      options.warn(diagnose(DiagnosticCode::CacheUnusable, "the kernel cache isn't used: " + why,
                            where, std::move(remedy)));
    }
  };
  if (this->version.empty()) {
    refuse("this build has no build ID that would tell its kernels from another build's", "",
           "link Drumlin with `--build-id`, or pass `--no-cache`");
    return;
  }
  // A cache that can't be made is no error: compilation takes longer, that is all. The user's own
  // symbolic link to the folder is followed, none in it is.
  if (llvm::sys::fs::create_directories(path, /*IgnoreExisting=*/true,
                                        llvm::sys::fs::perms::owner_all)) {
    return;
  }
  folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    return;
  }
  if (std::string why = suspicionOf(folder); !why.empty()) {
    refuse(why, path,
           "run `chmod go-w` on your own folder, or name another one with `DRUMLIN_CACHE`");
    ::close(folder);
    folder = -1;
  }
}

KernelCache::~KernelCache() {
  if (folder >= 0) {
    ::close(folder);
  }
}

static std::string nameOf(std::string_view key, std::string_view version) {
  Hasher hasher;
  hasher.addField(version);
  hasher.addField(key);
  return hasher.str();
}

// Two letters of folder, so that none gets too many files.
static std::string folderOf(const std::string &name) { return name.substr(0, 2); }

// Of the name too: an entry that comes to lie under another one's name is damaged as well.
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
  if (folder < 0) {
    return std::nullopt;
  }
  std::string name = nameOf(key, version);
  Descriptor inner(openFolder(folder, folderOf(name).c_str()));
  // What is no file may keep whoever opens it waiting.
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
  // Fails where the folder can only be read, which is where nothing is evicted either.
  futimens(file, nullptr);
  return content.str();
}

// A cache that can't be written is no error: the next compilation takes longer, that is all.
void KernelCache::store(std::string_view key, std::string_view content) const {
  static std::atomic<uint64_t> temporaries{0};
  if (folder < 0 || content.size() > maxBytes / sweptShare) {
    return;
  }
  std::string name = nameOf(key, version);
  if (mkdirat(folder, folderOf(name).c_str(), 0700) != 0 && errno != EEXIST) {
    return;
  }
  Descriptor inner(openFolder(folder, folderOf(name).c_str()));
  if (inner < 0 || !suspicionOf(inner).empty()) {
    return;
  }
  std::string temporary =
      temporaryPrefix + std::to_string(getpid()) + "-" + std::to_string(temporaries++) + ".tmp";
  std::string bytes = checksumOf(name, content) + "\n" + std::string(content);
  // Not synced: what a crash of the machine damages is a miss.
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
  Descriptor counter(openat(folder, counterName,
                            O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                            0600));
  if (counter < 0) {
    return;
  }
  std::string blocks((bytes + counterBlock - 1) / counterBlock, '\0');
  struct stat status;
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

// Calls visit(name, status) for what lies in a folder, which it may remove.
static void walk(int folder, const std::function<void(const char *, const struct stat &)> &visit) {
  int own = openFolder(folder, ".");
  DIR *listing = own < 0 ? nullptr : fdopendir(own);
  if (!listing) {
    return;
  }
  while (dirent *entry = readdir(listing)) {
    struct stat status;
    if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0 &&
        fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      visit(entry->d_name, status);
    }
  }
  closedir(listing);
}

void KernelCache::sweep(int counter) const {
  // One process at a time; the others go on.
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
  walk(folder, [&](const char *innerName, const struct stat &innerStatus) {
    Descriptor inner(S_ISDIR(innerStatus.st_mode) ? openFolder(folder, innerName) : -1);
    if (inner < 0) {
      return;
    }
    walk(inner, [&](const char *name, const struct stat &status) {
      if (!S_ISREG(status.st_mode)) {
        return;
      }
      if (llvm::StringRef(name).starts_with(temporaryPrefix)) {
        // A process that was killed has left it.
        if (now - status.st_mtime > temporaryLife) {
          unlinkat(inner, name, 0);
        }
        return;
      }
      auto bytes = static_cast<uint64_t>(status.st_size);
      total += bytes;
      entries.push_back({status.st_mtim, bytes, innerName, name});
    });
  });
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.name) <
           std::tie(b.used.tv_sec, b.used.tv_nsec, b.name);
  });
  for (const Entry &entry : entries) {
    if (total <= maxBytes - maxBytes / sweptShare) {
      break;
    }
    Descriptor inner(openFolder(folder, entry.inner.c_str()));
    if (inner >= 0 && unlinkat(inner, entry.name.c_str(), 0) == 0) {
      total -= entry.bytes;
    }
  }
  [[maybe_unused]] bool reset =
      ftruncate(counter, 0) == 0 &&
      writeWhole(counter, {reinterpret_cast<const char *>(&now), sizeof(now)});
}

} // namespace drumlin

#include "drumlin/driver/CacheFolder.h"

#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/Hash.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace drumlin {

// The first line of every cache folder's tag; backup programs recognize cache folders by it.
static constexpr const char *tagName = "CACHEDIR.TAG";
static constexpr llvm::StringLiteral tagSignature = "Signature: 8a477f597d28d172789f06886806bc55";
// The number in this line is the version of the cache's file names. Files are removed only from a
// folder whose tag has the same version.
static constexpr llvm::StringLiteral tagVersion = "# drumlin kernel cache 1";
static constexpr llvm::StringLiteral tagRest =
    "# Drumlin keeps compiled kernels here, and removes the oldest ones.\n"
    "# All of it may be removed at any time.\n";
static constexpr size_t maxTagBytes = 4096;
static constexpr const char *innerName = "drumlin-kernels";

Descriptor::~Descriptor() {
  if (number >= 0) {
    ::close(number);
  }
}

Descriptor openFolder(int parent, const char *name) {
  return Descriptor(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::string suspicionOf(int file) {
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

//===- names ------------------------------------------------------------------------===//

static bool areHexadecimal(llvm::StringRef text) {
  return llvm::all_of(text, [](char c) { return llvm::isDigit(c) || (c >= 'a' && c <= 'f'); });
}

std::string innerFolderOf(std::string_view entry) { return std::string(entry.substr(0, 2)); }

static bool isInnerFolder(llvm::StringRef name) { return name.size() == 2 && areHexadecimal(name); }

static bool isEntry(llvm::StringRef name, llvm::StringRef inner) {
  return isInnerFolder(inner) && name.size() == contentHashDigits && areHexadecimal(name) &&
         name.starts_with(inner);
}

// Calls visit(name) for each name in a folder; stops when visit() returns false.
static void list(int folder, llvm::function_ref<bool(const char *)> visit) {
  int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *listing = own < 0 ? nullptr : fdopendir(own);
  if (!listing) {
    if (own >= 0) {
      ::close(own);
    }
    return;
  }
  while (dirent *entry = readdir(listing)) {
    llvm::StringRef name = entry->d_name;
    if (name != "." && name != ".." && !visit(entry->d_name)) {
      break;
    }
  }
  closedir(listing);
}

//===- the mark ---------------------------------------------------------------------===//

static bool isMarked(int folder) {
  // Opening a named pipe without O_NONBLOCK could block.
  Descriptor tag(openat(folder, tagName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (tag < 0 || !suspicionOf(tag).empty() || fstat(tag, &status) != 0 ||
      !S_ISREG(status.st_mode)) {
    return false;
  }
  char bytes[maxTagBytes];
  ssize_t count = ::read(tag, bytes, sizeof(bytes));
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(bytes, count < 0 ? 0 : static_cast<size_t>(count)).split(lines, '\n');
  return lines.size() > 2 && lines[0] == tagSignature && lines[1] == tagVersion;
}

// Writes the tag file atomically; never replaces an existing file.
static bool mark(int folder) {
  std::string name = temporaryFileName();
  std::string text = (tagSignature + "\n" + tagVersion + "\n" + tagRest).str();
  Descriptor tag(
      openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (tag < 0) {
    return false;
  }
  bool isWritten = ::write(tag, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  // There are two ways to rename a file without replacing another one, and some file systems
  // support only one of them.
  bool isNamed =
      isWritten && (renameat2(folder, name.c_str(), folder, tagName, RENAME_NOREPLACE) == 0 ||
                    linkat(folder, name.c_str(), folder, tagName, 0) == 0);
  unlinkat(folder, name.c_str(), 0);
  return isNamed || isMarked(folder); // another process may have marked the folder
}

CacheFolder::Content CacheFolder::contentOf(int candidate) {
  if (isMarked(candidate)) {
    return Content::Marked;
  }
  bool isEmpty = true;
  list(candidate, [&](llvm::StringRef name) {
    isEmpty = isTemporaryFileName(name); // a process may be marking the folder now
    return isEmpty;
  });
  // A process marks the folder before it adds files. If another process marked this folder after
  // isMarked() above, the second isMarked() finds the mark.
  return isEmpty ? Content::Empty : isMarked(candidate) ? Content::Marked : Content::Others;
}

//===- the folder -------------------------------------------------------------------===//

CacheFolder::CacheFolder(const std::string &named, Access access) : place(named) {
  // A cache that can't be created is no error: compilation only takes longer.
  if (named.empty() || (access == Access::Use &&
                        llvm::sys::fs::create_directories(named, /*IgnoreExisting=*/true,
                                                          llvm::sys::fs::perms::owner_all))) {
    return;
  }
  take(Descriptor(::open(named.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), access);
}

void CacheFolder::refuse(const std::string &why, std::string remedy) {
  problem = diagnose(errors::CacheUnusable, "the kernel cache isn't used: " + why, place,
                     std::move(remedy));
}

void CacheFolder::take(Descriptor candidate, Access access) {
  bool isInner = false;
  while (candidate >= 0) {
    if (std::string why = suspicionOf(candidate); !why.empty()) {
      refuse(why, "run `chmod go-w` on your own folder, or name another one with `DRUMLIN_CACHE`");
      return;
    }
    Content content = contentOf(candidate);
    if (content == Content::Marked ||
        (content == Content::Empty && (access == Access::Inspect || mark(candidate)))) {
      folder = std::move(candidate);
      return;
    }
    if (content == Content::Empty) {
      return; // the folder isn't writable
    }
    if (isInner) {
      refuse("it has files, and no `CACHEDIR.TAG` of this version's cache",
             "remove the folder if nobody needs it, or name another one with `DRUMLIN_CACHE`");
      return;
    }
    isInner = true;
    place += std::string(place.ends_with('/') ? "" : "/") + innerName;
    if (access == Access::Use && mkdirat(candidate, innerName, 0700) != 0 && errno != EEXIST) {
      return;
    }
    candidate = openFolder(candidate, innerName);
  }
}

bool CacheFolder::mayWrite() const {
  if (problem) {
    return false;
  }
  if (folder >= 0) {
    return faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) == 0;
  }
  // The folder doesn't exist yet, so the check is on its nearest existing ancestor, in which it
  // will be created.
  std::error_code error;
  std::filesystem::path nearest = std::filesystem::absolute(place, error).lexically_normal();
  struct stat status;
  while (!error && lstat(nearest.c_str(), &status) != 0 && errno == ENOENT &&
         nearest != nearest.parent_path()) {
    nearest = nearest.parent_path();
  }
  return !error && std::filesystem::is_directory(nearest, error) &&
         faccessat(AT_FDCWD, nearest.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

void CacheFolder::visit(const std::function<void(const CacheFile &)> &visit) const {
  if (folder < 0) {
    return;
  }
  auto look = [&](int parent, const char *inner, const char *name) {
    CacheFile file = {parent, inner, name, {}, isTemporaryFileName(name)};
    if ((file.isTemporary || isEntry(name, inner)) &&
        fstatat(parent, name, &file.status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(file.status.st_mode) && file.status.st_uid == geteuid()) {
      visit(file);
    }
    return true;
  };
  list(folder, [&](const char *innerFolder) {
    if (!isInnerFolder(innerFolder)) {
      return look(folder, "", innerFolder);
    }
    Descriptor inner(openFolder(folder, innerFolder));
    if (inner < 0 || !suspicionOf(inner).empty()) {
      return true;
    }
    list(inner, [&](const char *name) { return look(inner, innerFolder, name); });
    return true;
  });
}

} // namespace drumlin

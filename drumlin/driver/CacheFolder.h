// Which folder compiled kernels are kept in, and what lies in it. A folder is the cache's if it
// has the cache's mark, a `CACHEDIR.TAG` with a line of ours, which an empty folder gets. Any other
// folder is left as it is: kernels then lie in a marked folder inside of it, `drumlin-kernels`.
// Nothing is ever read, counted or removed but files of the user's, under names that the cache
// gives. No symbolic link below the folder that the user names is followed.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/Diagnostics.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <utility>

namespace drumlin {

// A file descriptor that is closed when it goes.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor();
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  operator int() const { return number; }

private:
  int number;
};

// Opens a folder, not through a symbolic link; -1 where there is none.
Descriptor openFolder(int parent, const char *name);

// Returns why an open file or folder may be somebody else's, or nothing if it can't be.
std::string suspicionOf(int file);

// The folder that these options name; empty: none.
std::string cacheDirectory(const CompileOptions &options);

// A file that the cache has made: an entry, or what a process has left that was killed while it
// wrote one.
struct CacheFile {
  int folder;        // in which it lies, open during the visit
  std::string inner; // that folder's name
  const char *name;
  struct stat status;
  bool isTemporary;
};

class CacheFolder {
public:
  enum class Access {
    Use,     // makes the folder, and its mark
    Inspect, // makes and writes nothing
  };
  // `named`: what the user names, whose own symbolic links are followed.
  CacheFolder(const std::string &named, Access access);

  // Where kernels lie; with Access::Inspect also where they will lie once there is such a folder.
  const std::string &path() const { return place; }
  // Returns the open folder's descriptor; -1 if there is none or it isn't used.
  int file() const { return folder; }
  // Why it isn't used, where the user can do something about it (CacheUnusable).
  const std::optional<Diagnostic> &refusal() const { return problem; }
  // Whether this process may make entries in it, as far as permissions tell.
  bool mayWrite() const;

  // Calls visit() for each file of the cache's, which it may remove.
  void visit(const std::function<void(const CacheFile &)> &visit) const;

private:
  enum class Content { Marked, Empty, Others };
  static Content contentOf(int candidate);
  void take(Descriptor candidate, Access access);
  void refuse(const std::string &why, std::string remedy);

  std::string place;
  std::optional<Diagnostic> problem;
  Descriptor folder;
};

// An entry's name is a contentHash(); its first two digits are its folder's name.
std::string innerFolderOf(std::string_view entry);

} // namespace drumlin

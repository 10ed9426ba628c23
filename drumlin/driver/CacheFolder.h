// Chooses the folder of the kernel cache and lists its files. A folder belongs to the cache if it
// has a `CACHEDIR.TAG` with Drumlin's line; empty folders get this file. In a folder that doesn't
// belong to the cache, kernels are kept in a marked subfolder, `drumlin-kernels`, and nothing else
// is touched. A file is read, counted or removed only if the user owns it and its name has the
// cache's form. Symbolic links below the folder that the user names are never followed.
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

// A file descriptor that is closed when the object is destroyed.
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

// Opens a folder without following a symbolic link; returns -1 if there is no such folder.
Descriptor openFolder(int parent, const char *name);

// Returns the reason for which an open file or folder may belong to another user; empty if the file
// or folder certainly belongs to this user.
std::string suspicionOf(int file);

// Returns the cache folder that the options or the environment name, else a folder in the home
// folder; empty if there is none.
std::string cacheDirectory(const CompileOptions &options);

// A file that the cache wrote: an entry, or a temporary file that a killed process left behind.
struct CacheFile {
  int folder;        // descriptor of the file's folder; open during the visit
  std::string inner; // name of the folder; empty for the cache folder itself
  const char *name;
  struct stat status;
  bool isTemporary;
};

class CacheFolder {
public:
  enum class Access {
    Use,     // creates and marks the folder
    Inspect, // creates and writes nothing
  };
  // Chooses the folder. `named`: the path that the user names; symbolic links in this path are
  // followed.
  CacheFolder(const std::string &named, Access access);

  // Returns the path of the folder that contains the kernels. With Access::Inspect, the folder may
  // not exist yet.
  const std::string &path() const { return place; }
  // Returns the open folder's descriptor; -1 if there is no folder or it isn't used.
  int file() const { return folder; }
  // Returns why the folder isn't used (CacheUnusable); nullopt if the folder is used, or if the
  // user can't change the reason.
  const std::optional<Diagnostic> &refusal() const { return problem; }
  // Returns whether permissions let this process create entries in the folder.
  bool mayWrite() const;

  // Calls visit() for each file of the cache; visit() may remove the file.
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

// Returns the name of the folder that contains an entry: the first two digits of the entry's name,
// which is a contentHash().
std::string innerFolderOf(std::string_view entry);

} // namespace drumlin

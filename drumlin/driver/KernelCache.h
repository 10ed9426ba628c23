// An on-disk cache of one user's compiled kernels. The keys are hashes of what determines a
// kernel's code. The cache is safe for concurrent processes: files appear atomically, and a damaged
// file is a miss. Code is read only from folders that belong to the user and that nobody else can
// write to; only files of the cache are removed (CacheFolder.h).
#pragma once

#include "drumlin/driver/CacheFolder.h"
#include "drumlin/driver/Options.h"
#include "drumlin/support/BuildId.h"

#include <optional>
#include <string>
#include <string_view>

namespace drumlin {

// Returns why kernels of this version aren't cached in this folder; nullopt if they are cached, or
// if the user can't change the reason.
std::optional<Diagnostic> cacheRefusal(const CacheFolder &folder,
                                       const std::string &version = buildId());

class KernelCache {
public:
  // Opens the cache that the options name. `version` identifies everything that determines a
  // kernel's code; lookups never return another version's entries. If the version is empty, or if
  // the folder is writable to others or can't be created, each lookup is a miss. The options'
  // `warn` is then called if the user can change the reason.
  explicit KernelCache(const CompileOptions &options, std::string version = buildId());

  // Returns whether there is a cache folder. Without one, lookup() finds nothing and store() does
  // nothing.
  bool isUsed() const { return folder.file() >= 0; }

  // Returns the content stored under a key and marks it as used now; nullopt if there is no entry
  // or its checksum is wrong.
  std::optional<std::string> lookup(std::string_view key) const;
  // Stores an entry; evicts the least recently used entries if the folder has grown too large.
  void store(std::string_view key, std::string_view content) const;

private:
  void countStored(size_t bytes) const;
  void sweep(int counter) const;

  std::string version;
  uint64_t maxBytes;
  CacheFolder folder;
};

} // namespace drumlin

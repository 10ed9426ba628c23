// Compiled kernels on disk, by content, for one user. Safe with many processes: files appear whole
// or not at all, and a damaged one is a miss. Code is taken from a folder only if it is the user's
// own and nobody else can write to it, and only the cache's files are removed (CacheFolder.h).
#pragma once

#include "drumlin/driver/CacheFolder.h"
#include "drumlin/driver/Options.h"
#include "drumlin/support/BuildId.h"

#include <optional>
#include <string>
#include <string_view>

namespace drumlin {

// Why kernels of this version aren't kept in this folder, where the user can do something about it.
std::optional<Diagnostic> cacheRefusal(const CacheFolder &folder,
                                       const std::string &version = buildId());

class KernelCache {
public:
  // `version`: of all that decides what code a kernel becomes; entries of one version are never
  // those of another. Without one, with a folder that others may write to, or with one that can't
  // be made, the cache always misses; where the user can do something about it, the options' `warn`
  // is told.
  explicit KernelCache(const CompileOptions &options, std::string version = buildId());

  // Whether there is a folder: without one, lookup() finds nothing and store() does nothing.
  bool isUsed() const { return folder.file() >= 0; }

  // What was stored under a key; nothing where it isn't there, or its checksum is wrong. The entry
  // counts as used now.
  std::optional<std::string> lookup(std::string_view key) const;
  // Where the folder gets too large, entries go whose last use is longest ago.
  void store(std::string_view key, std::string_view content) const;

private:
  void countStored(size_t bytes) const;
  void sweep(int counter) const;

  std::string version;
  uint64_t maxBytes;
  CacheFolder folder;
};

} // namespace drumlin

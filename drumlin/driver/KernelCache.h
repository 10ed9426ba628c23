// Compiled kernels on disk, by content. Safe with many processes: files appear whole or not at all,
// and a damaged one is a miss.
#pragma once

#include "drumlin/driver/Options.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

class KernelCache {
public:
  // An unusable directory (none can be made, nothing can be written) makes a cache that always
  // misses.
  explicit KernelCache(const CompileOptions &options);

  // What was stored under a key; nothing where it isn't there, or its checksum is wrong.
  std::optional<std::string> lookup(std::string_view key) const;
  void store(std::string_view key, std::string_view content) const;

private:
  std::string pathOf(std::string_view key) const;
  std::string directory; // empty: no cache
};

} // namespace drumlin

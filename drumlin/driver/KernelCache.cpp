#include "drumlin/driver/KernelCache.h"

#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/Hash.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

namespace drumlin {

static std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

static std::string defaultDirectory() {
  if (std::string chosen = environment("DRUMLIN_CACHE"); !chosen.empty()) {
    return chosen;
  }
  if (std::string base = environment("XDG_CACHE_HOME"); !base.empty()) {
    return base + "/drumlin";
  }
  std::string home = environment("HOME");
  return home.empty() ? "" : home + "/.cache/drumlin";
}

KernelCache::KernelCache(const CompileOptions &options) {
  if (!options.useCache) {
    return;
  }
  directory = options.cacheDirectory.empty() ? defaultDirectory() : options.cacheDirectory;
  if (!directory.empty() && llvm::sys::fs::create_directories(directory)) {
    directory.clear();
  }
}

// Two letters of folder, so that none gets too many files.
std::string KernelCache::pathOf(std::string_view key) const {
  return directory + "/" + std::string(key.substr(0, 2)) + "/" + std::string(key);
}

// Of the key too: an entry that comes to lie under another one's name is damaged as well.
static std::string checksumOf(std::string_view key, std::string_view content) {
  return contentHash(std::string(key) + "\n" + std::string(content));
}

std::optional<std::string> KernelCache::lookup(std::string_view key) const {
  if (directory.empty()) {
    return std::nullopt;
  }
  auto file =
      llvm::MemoryBuffer::getFile(pathOf(key), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file) {
    return std::nullopt;
  }
  llvm::StringRef bytes = (*file)->getBuffer();
  auto [checksum, content] = bytes.split('\n');
  if (checksumOf(key, content) != std::string_view(checksum)) {
    return std::nullopt;
  }
  return content.str();
}

void KernelCache::store(std::string_view key, std::string_view content) const {
  if (directory.empty()) {
    return;
  }
  std::string path = pathOf(key);
  if (llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path))) {
    return;
  }
  // A cache that can't be written is no error: the next compilation takes longer, that is all.
  (void)static_cast<bool>(writeFile(path, checksumOf(key, content) + "\n" + std::string(content)));
}

} // namespace drumlin

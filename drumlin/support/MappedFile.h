// A file's bytes in memory, mapped if the file allows it (pipes and devices are read completely).
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace drumlin {

class MappedFile {
public:
  enum class Access {
    ReadOnly,
    CopyOnWrite, // writes stay in this process
  };

  // Opens a file. Fails with FileNotReadable. Truncating a file while it is mapped crashes the
  // process: writers of Drumlin's own files therefore replace them by renaming (AtomicFile.h) and
  // never truncate.
  static Result<std::shared_ptr<MappedFile>> open(const std::string &path,
                                                  Access access = Access::ReadOnly);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::span<const std::byte> bytes() const { return {memory, size}; }
  std::string_view text() const { return {reinterpret_cast<const char *>(memory), size}; }
  // Sets the expected access pattern: sequential (the default), or a few scattered pages, for which
  // the system doesn't read ahead.
  enum class Reading { Ahead, Scattered };
  void expect(Reading reading) const;
  // Drops the pages in this range from memory; they are read again when accessed. Not for pages
  // that were written to.
  void release(std::span<const std::byte> part) const;
  // Only for Access::CopyOnWrite.
  std::byte *writable() { return memory; }

private:
  MappedFile() = default;
  std::byte *memory = nullptr;
  size_t size = 0;
  bool mapped = false; // false: allocated with malloc
};

} // namespace drumlin

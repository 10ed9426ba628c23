// A file's bytes in memory, mapped where the file allows it (pipes and devices are read whole).
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

  // Fails with FileNotReadable. Whoever shortens the file while it is mapped ends the process:
  // writers of Drumlin's own files therefore replace them by renaming (AtomicFile.h) and never
  // truncate.
  static Result<std::shared_ptr<MappedFile>> open(const std::string &path,
                                                  Access access = Access::ReadOnly);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::span<const std::byte> bytes() const { return {memory, size}; }
  std::string_view text() const { return {reinterpret_cast<const char *>(memory), size}; }
  // How it is read from now on: what comes next soon, as without this call; or few pages of many,
  // for each of which the system would read many others ahead.
  enum class Reading { Ahead, Scattered };
  void expect(Reading reading) const;
  // Takes pages out of memory that lie in these bytes; they are read again where they are used. Not
  // for pages that were written to.
  void release(std::span<const std::byte> part) const;
  // Only for Access::CopyOnWrite.
  std::byte *writable() { return memory; }

private:
  MappedFile() = default;
  std::byte *memory = nullptr;
  size_t size = 0;
  bool mapped = false; // else from malloc
};

} // namespace drumlin

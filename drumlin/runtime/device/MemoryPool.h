// Large memory blocks of freed buffers, kept for new buffers.
#pragma once

#include "drumlin/runtime/cpu/AlignedMemory.h"

#include <list>
#include <mutex>
#include <optional>

namespace drumlin {

// A pool of memory. The system takes about as long to provide a page as a program takes to fill it,
// so without the pool repeated runs would each wait for the pages of their results.
class MemoryPool {
public:
  // The smallest kept block in bytes; the allocator reuses smaller ones well enough.
  static constexpr size_t least = size_t(1) << 20;

  // The limit in bytes on kept memory. Beyond it, the blocks returned longest ago are dropped: they
  // may have sizes that no current program uses.
  static constexpr size_t mostKept = size_t(256) << 20;

  // Returns at least `bytes` bytes, or nothing if the system has no such memory.
  std::optional<AlignedMemory> take(size_t bytes);
  void giveBack(AlignedMemory memory);

private:
  std::mutex mutex;
  std::list<AlignedMemory> kept; // the memory returned last is at the end
  size_t keptBytes = 0;
};

} // namespace drumlin

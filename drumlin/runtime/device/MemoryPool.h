// Large memories that buffers don't need any more, for those that come.
#pragma once

#include "drumlin/runtime/cpu/AlignedMemory.h"

#include <list>
#include <mutex>
#include <optional>

namespace drumlin {

// The system takes about as long to make a page as a program to fill it, so that a program that is
// called again and again would wait for its results' pages each time.
class MemoryPool {
public:
  // From so many bytes on, memories are kept; smaller ones the allocator keeps well.
  static constexpr size_t least = size_t(1) << 20;

  // So many bytes are kept at most: those that have come last, whatever sizes a program before had.
  static constexpr size_t mostKept = size_t(256) << 20;

  // At least so many bytes. Nothing where the system has no such memory.
  std::optional<AlignedMemory> take(size_t bytes);
  void giveBack(AlignedMemory memory);

private:
  std::mutex mutex;
  std::list<AlignedMemory> kept; // in the order in which they came
  size_t keptBytes = 0;
};

} // namespace drumlin

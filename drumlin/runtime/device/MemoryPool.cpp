#include "drumlin/runtime/device/MemoryPool.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <new>
#include <utility>

namespace drumlin {

// Rounds a size up in steps of an eighth, so that arrays of similar sizes can reuse the same
// memory.
static size_t rounded(size_t bytes) {
  size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

std::optional<AlignedMemory> MemoryPool::take(size_t bytes) {
  size_t size = rounded(bytes);
  {
    std::lock_guard<std::mutex> lock(mutex);
    // Takes the most recently returned memory, which caches may still contain.
    auto isSize = [&](const AlignedMemory &each) { return each.size() == size; };
    if (auto found = std::find_if(kept.rbegin(), kept.rend(), isSize); found != kept.rend()) {
      AlignedMemory memory = std::move(*found);
      kept.erase(std::next(found).base());
      keptBytes -= size;
      return memory;
    }
  }
  std::optional<AlignedMemory> made = AlignedMemory::allocate(size);
  if (!made) {
    std::list<AlignedMemory> freed;
    {
      std::lock_guard<std::mutex> lock(mutex);
      freed.swap(kept);
      keptBytes = 0;
    }
    freed.clear();
    made = AlignedMemory::allocate(size);
  }
  return made;
}

void MemoryPool::giveBack(AlignedMemory memory) {
  if (memory.size() > mostKept) {
    return;
  }
  std::list<AlignedMemory> freed; // its elements are freed after the lock is released
  try {
    freed.push_back(std::move(memory));
  } catch (const std::bad_alloc &) { // `memory` is freed instead of kept
    return;
  }
  std::lock_guard<std::mutex> lock(mutex);
  keptBytes += freed.front().size();
  kept.splice(kept.end(), freed);
  while (keptBytes > mostKept) {
    keptBytes -= kept.front().size();
    freed.splice(freed.end(), kept, kept.begin());
  }
}

} // namespace drumlin

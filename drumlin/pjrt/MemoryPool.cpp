#include "drumlin/pjrt/MemoryPool.h"

#include <bit>
#include <utility>

namespace drumlin::pjrt {

// Sizes in steps of an eighth, so that arrays of nearly one size have one memory in turn.
static size_t rounded(size_t bytes) {
  size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

std::optional<AlignedMemory> MemoryPool::take(size_t bytes) {
  size_t size = rounded(bytes);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (auto found = kept.find(size); found != kept.end()) {
      AlignedMemory memory = std::move(found->second);
      kept.erase(found);
      keptBytes -= size;
      return memory;
    }
  }
  std::optional<AlignedMemory> made = AlignedMemory::allocate(size);
  if (!made) {
    std::multimap<size_t, AlignedMemory> freed;
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
  std::lock_guard<std::mutex> lock(mutex);
  size_t size = memory.size();
  if (size <= mostKept - keptBytes) {
    kept.emplace(size, std::move(memory));
    keptBytes += size;
  }
}

} // namespace drumlin::pjrt

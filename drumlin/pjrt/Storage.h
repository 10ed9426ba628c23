// The memory behind buffers.
#pragma once

#include "drumlin/pjrt/Outcome.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace drumlin::pjrt {

// What buffers of a device hold, in bytes. Callers' memory doesn't count.
struct MemoryStatistics {
  std::atomic<int64_t> inUse{0}, peak{0}, allocations{0}, largest{0};

  void add(int64_t bytes);
  void remove(int64_t bytes) { inUse.fetch_sub(bytes, std::memory_order_relaxed); }
  // From now on, the peak is that of what follows.
  void clear();
};

// Memory of our own, or a caller's that is lent. Buffers, runs and views of other libraries share
// it; it goes with the last of them.
class Storage {
public:
  // Aligned to 64 bytes; 64 bytes behind it may be read, as AlignedMemory says. Null where the
  // system has no such memory.
  static std::shared_ptr<Storage> allocate(size_t bytes,
                                           std::shared_ptr<MemoryStatistics> statistics);
  // `release` is called when nothing uses the memory any more, on any thread.
  static std::shared_ptr<Storage> lend(const void *data, bool isMutable,
                                       std::function<void()> release);
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;
  ~Storage();

  std::byte *data() const { return memory; }
  // Whether a program may write its results there.
  bool isMutable() const { return mayWrite; }

  // Buffers and views of other libraries: where one gives the memory away and there is another, it
  // stays as it is.
  void addOwner() { owners.fetch_add(1, std::memory_order_relaxed); }
  // How many there are left.
  int64_t removeOwner() { return owners.fetch_sub(1, std::memory_order_acq_rel) - 1; }

  // A run reads the memory until this is ready: whoever writes to it waits for that.
  void addReader(std::shared_ptr<Completion> run);
  // Those that aren't ready.
  std::vector<std::shared_ptr<Completion>> readers();

private:
  Storage() = default;
  std::byte *memory = nullptr;
  size_t bytes = 0; // of our own
  bool mayWrite = true;
  std::atomic<int64_t> owners{0};
  std::shared_ptr<MemoryStatistics> statistics;
  std::function<void()> release;
  std::mutex mutex;
  std::vector<std::shared_ptr<Completion>> reading;
};

} // namespace drumlin::pjrt

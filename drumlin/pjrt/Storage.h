// The memory behind buffers.
#pragma once

#include "drumlin/pjrt/MemoryPool.h"
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
  MemoryPool pool; // where large ones come from; what it keeps isn't in use

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

  // A run reads the memory until this is ready: whoever writes to it waits for that.
  void addReader(std::shared_ptr<Completion> run);
  // Those that aren't ready.
  std::vector<std::shared_ptr<Completion>> readers();

private:
  friend class StorageUse;
  Storage() = default;
  std::byte *memory = nullptr;
  AlignedMemory large; // the same, from the pool
  size_t bytes = 0;    // of our own
  bool mayWrite = true;
  std::atomic<int64_t> uses{0};
  std::shared_ptr<MemoryStatistics> statistics;
  std::function<void()> release;
  std::mutex mutex;
  std::vector<std::shared_ptr<Completion>> reading;
};

// Whoever looks at a memory: a buffer, a view of another library, a thread that reads it. Memory
// that is given to a program while another one looks at it stays as it is.
class StorageUse {
public:
  StorageUse() = default;
  explicit StorageUse(std::shared_ptr<Storage> used) : used(std::move(used)) { count(); }
  StorageUse(const StorageUse &other) : used(other.used) { count(); }
  StorageUse(StorageUse &&other) noexcept : used(std::move(other.used)) {}
  StorageUse &operator=(StorageUse other) noexcept {
    std::swap(used, other.used);
    return *this;
  }
  ~StorageUse() {
    if (used) {
      used->uses.fetch_sub(1, std::memory_order_release);
    }
  }

  explicit operator bool() const { return used != nullptr; }
  Storage *operator->() const { return used.get(); }
  // For what keeps the memory, and doesn't look at it or has said until when.
  const std::shared_ptr<Storage> &storage() const { return used; }
  bool isOnly() const { return used->uses.load(std::memory_order_acquire) == 1; }

private:
  void count() {
    if (used) {
      used->uses.fetch_add(1, std::memory_order_relaxed);
    }
  }
  std::shared_ptr<Storage> used;
};

} // namespace drumlin::pjrt

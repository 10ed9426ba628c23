// The memory behind buffers.
#pragma once

#include "drumlin/pjrt/Outcome.h"
#include "drumlin/runtime/device/Device.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace drumlin::pjrt {

// The device that allocates buffers, and how many bytes they have, without memory that callers
// lend.
struct MemoryStatistics {
  const std::shared_ptr<drumlin::Device> machine;
  std::atomic<int64_t> inUse{0}, peak{0}, allocations{0}, largest{0};

  explicit MemoryStatistics(std::shared_ptr<drumlin::Device> machine)
      : machine(std::move(machine)) {}
  void add(int64_t bytes);
  void remove(int64_t bytes) { inUse.fetch_sub(bytes, std::memory_order_relaxed); }
  // From now on, the peak is that of what follows.
  void clear();
};

class HostBytes;

// Memory of our own, or a caller's that is lent. Buffers, runs and views of other libraries share
// it; it goes with the last of them.
class Storage {
public:
  // Allocates memory of the device (DeviceMemory::take()); null where it has no more.
  static std::shared_ptr<Storage> allocate(size_t bytes,
                                           std::shared_ptr<MemoryStatistics> statistics);
  // Memory at an address of the device's. `release` is called when nothing uses it any more, on any
  // thread.
  static std::shared_ptr<Storage> lend(std::shared_ptr<drumlin::Device> machine,
                                       const void *address, bool isMutable,
                                       std::function<void()> release);
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;
  ~Storage();

  // The device's, which the host may not be able to read.
  std::byte *address() const { return block.address; }
  bool isHosts() const { return machine->memory().isHosts(); }
  // Where work on the memory is done. Storages, and so buffers, may outlive their clients.
  const std::shared_ptr<drumlin::Device> &device() const { return machine; }
  // Give some of the bytes to the host, in place or as a copy: to read, while nobody writes them,
  // or to write all of them, while nobody uses them.
  HostBytes read(size_t offset, size_t size) const;
  HostBytes write(size_t offset, size_t size);
  // Whether a program may write its results there.
  bool isMutable() const { return mayWrite; }

  // A run reads the memory until this is ready: whoever writes to it waits for that.
  void addReader(std::shared_ptr<Completion> run);
  // Those that aren't ready.
  std::vector<std::shared_ptr<Completion>> readers();

private:
  friend class StorageUse;
  Storage() = default;
  std::shared_ptr<drumlin::Device> machine;
  DeviceMemory::Block block; // without a size where it is lent
  bool mayWrite = true;
  std::atomic<int64_t> uses{0};
  std::shared_ptr<MemoryStatistics> statistics;
  std::function<void()> release;
  std::mutex mutex;
  std::vector<std::shared_ptr<Completion>> reading;
};

class HostBytes {
public:
  // Writes a copy back.
  ~HostBytes();
  HostBytes(const HostBytes &) = delete;
  HostBytes &operator=(const HostBytes &) = delete;

  std::byte *data() const { return bytes; }

private:
  friend class Storage;
  HostBytes(DeviceMemory &memory, std::byte *address, size_t size, bool isWritten);

  DeviceMemory &memory;
  std::byte *bytes;
  std::byte *writesTo = nullptr; // where a copy goes in the end
  std::vector<std::byte> copy;
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

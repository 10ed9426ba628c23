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

// The device that allocates buffers, and statistics of their bytes. Memory lent by callers isn't
// counted.
struct MemoryStatistics {
  const std::shared_ptr<drumlin::Device> machine;
  std::atomic<int64_t> inUse{0}, peak{0}, allocations{0}, largest{0};

  explicit MemoryStatistics(std::shared_ptr<drumlin::Device> machine)
      : machine(std::move(machine)) {}
  void add(int64_t bytes);
  void remove(int64_t bytes) { inUse.fetch_sub(bytes, std::memory_order_relaxed); }
  // Resets the statistics: the peak restarts at the bytes now in use.
  void clear();
};

class HostBytes;

// Memory that the plugin owns or that a caller has lent. Buffers, runs and views of other libraries
// share it; the last owner frees it.
class Storage {
public:
  // Allocates memory of the device (DeviceMemory::take()); null if none is left.
  static std::shared_ptr<Storage> allocate(size_t bytes,
                                           std::shared_ptr<MemoryStatistics> statistics);
  // Wraps lent memory at a device address. `release` is called on any thread when nothing uses the
  // memory any more.
  static std::shared_ptr<Storage> lend(std::shared_ptr<drumlin::Device> machine,
                                       const void *address, bool isMutable,
                                       std::function<void()> release);
  Storage(const Storage &) = delete;
  Storage &operator=(const Storage &) = delete;
  ~Storage();

  // Returns the device address, which the host may be unable to read.
  std::byte *address() const { return block.address; }
  bool isHosts() const { return machine->memory().isHosts(); }
  // Returns the device whose queue does work on the memory. Storages, and so buffers, may outlive
  // their clients.
  const std::shared_ptr<drumlin::Device> &device() const { return machine; }
  // Give the host access to a range of bytes, in place or through a copy. read() is for reading
  // bytes that nobody writes meanwhile; write() is for overwriting all bytes of the range while
  // nobody else uses them.
  HostBytes read(size_t offset, size_t size) const;
  HostBytes write(size_t offset, size_t size);
  // Whether a program may write its results to this memory.
  bool isMutable() const { return mayWrite; }

  // Registers a run that reads the memory; writers wait until the run has completed.
  void addReader(std::shared_ptr<Completion> run);
  // Returns the registered readers that aren't ready.
  std::vector<std::shared_ptr<Completion>> readers();

private:
  friend class StorageUse;
  Storage() = default;
  std::shared_ptr<drumlin::Device> machine;
  DeviceMemory::Block block; // has the size 0 if the memory is lent
  bool mayWrite = true;
  std::atomic<int64_t> uses{0};
  std::shared_ptr<MemoryStatistics> statistics;
  std::function<void()> release;
  std::mutex mutex;
  std::vector<std::shared_ptr<Completion>> reading;
};

class HostBytes {
public:
  // Writes the copy to the device if it is one for writing.
  ~HostBytes();
  HostBytes(const HostBytes &) = delete;
  HostBytes &operator=(const HostBytes &) = delete;

  std::byte *data() const { return bytes; }

private:
  friend class Storage;
  HostBytes(DeviceMemory &memory, std::byte *address, size_t size, bool isWritten);

  DeviceMemory &memory;
  std::byte *bytes;
  std::byte *writesTo = nullptr; // the device address to which the copy is written
  std::vector<std::byte> copy;
};

// A counted use of a memory: by a buffer, a view of another library, or a reading thread. Donated
// memory that has another use is not overwritten.
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
  // Returns the memory without counting a use, for holders that don't access its bytes or are
  // registered as readers.
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

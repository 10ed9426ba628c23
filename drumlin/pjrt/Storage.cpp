#include "drumlin/pjrt/Storage.h"

#include <algorithm>

namespace drumlin::pjrt {

static void raise(std::atomic<int64_t> &value, int64_t to) {
  int64_t before = value.load(std::memory_order_relaxed);
  while (before < to && !value.compare_exchange_weak(before, to, std::memory_order_relaxed)) {
  }
}

void MemoryStatistics::add(int64_t bytes) {
  raise(peak, inUse.fetch_add(bytes, std::memory_order_relaxed) + bytes);
  raise(largest, bytes);
  allocations.fetch_add(1, std::memory_order_relaxed);
}

void MemoryStatistics::clear() {
  peak = inUse.load();
  allocations = 0;
  largest = 0;
}

std::shared_ptr<Storage> Storage::allocate(size_t bytes,
                                           std::shared_ptr<MemoryStatistics> statistics) {
  std::shared_ptr<Storage> made(new Storage());
  std::optional<DeviceMemory::Block> block = statistics->machine->memory().take(bytes);
  if (!block) {
    return nullptr;
  }
  made->block = std::move(*block);
  made->machine = statistics->machine;
  made->statistics = std::move(statistics);
  made->statistics->add(static_cast<int64_t>(bytes));
  return made;
}

std::shared_ptr<Storage> Storage::lend(std::shared_ptr<drumlin::Device> machine,
                                       const void *address, bool isMutable,
                                       std::function<void()> release) {
  std::shared_ptr<Storage> made(new Storage());
  made->machine = std::move(machine);
  made->block.address = static_cast<std::byte *>(const_cast<void *>(address));
  made->mayWrite = isMutable;
  made->release = std::move(release);
  return made;
}

Storage::~Storage() {
  if (statistics) {
    statistics->remove(static_cast<int64_t>(block.bytes));
    machine->memory().giveBack(std::move(block));
  }
  if (release) {
    release();
  }
}

HostBytes Storage::read(size_t offset, size_t size) const {
  return {machine->memory(), block.address + offset, size, /*isWritten=*/false};
}

HostBytes Storage::write(size_t offset, size_t size) {
  return {machine->memory(), block.address + offset, size, /*isWritten=*/true};
}

HostBytes::HostBytes(DeviceMemory &memory, std::byte *address, size_t size, bool isWritten)
    : memory(memory), bytes(address) {
  if (memory.isHosts()) {
    return;
  }
  copy.resize(size);
  bytes = copy.data();
  if (isWritten) {
    writesTo = address;
  } else {
    memory.copyToHost(bytes, address, size);
  }
}

HostBytes::~HostBytes() {
  if (writesTo) {
    memory.copyFromHost(writesTo, bytes, copy.size());
  }
}

void Storage::addReader(std::shared_ptr<Completion> run) {
  std::lock_guard<std::mutex> lock(mutex);
  std::erase_if(reading, [](const auto &each) { return each->isReady(); });
  reading.push_back(std::move(run));
}

std::vector<std::shared_ptr<Completion>> Storage::readers() {
  std::lock_guard<std::mutex> lock(mutex);
  std::erase_if(reading, [](const auto &each) { return each->isReady(); });
  return reading;
}

} // namespace drumlin::pjrt

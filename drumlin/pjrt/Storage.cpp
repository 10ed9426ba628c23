#include "drumlin/pjrt/Storage.h"

#include <algorithm>
#include <new>

namespace drumlin::pjrt {

static constexpr std::align_val_t alignment{AlignedMemory::alignment};
static constexpr size_t readableBehind = AlignedMemory::readableBehind;

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
  if (bytes > SIZE_MAX - readableBehind) {
    return nullptr;
  }
  std::shared_ptr<Storage> made(new Storage());
  if (bytes >= MemoryPool::least) {
    std::optional<AlignedMemory> large = statistics->pool.take(bytes);
    if (!large) {
      return nullptr;
    }
    made->large = std::move(*large);
    made->memory = made->large.data();
  } else {
    made->memory =
        static_cast<std::byte *>(::operator new(bytes + readableBehind, alignment, std::nothrow));
    if (!made->memory) {
      return nullptr;
    }
  }
  made->bytes = bytes;
  made->statistics = std::move(statistics);
  made->statistics->add(static_cast<int64_t>(bytes));
  return made;
}

std::shared_ptr<Storage> Storage::lend(const void *data, bool isMutable,
                                       std::function<void()> release) {
  std::shared_ptr<Storage> made(new Storage());
  made->memory = static_cast<std::byte *>(const_cast<void *>(data));
  made->mayWrite = isMutable;
  made->release = std::move(release);
  return made;
}

Storage::~Storage() {
  if (statistics) {
    statistics->remove(static_cast<int64_t>(bytes));
    if (large.data()) {
      statistics->pool.giveBack(std::move(large));
    } else {
      ::operator delete(memory, alignment);
    }
  }
  if (release) {
    release();
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

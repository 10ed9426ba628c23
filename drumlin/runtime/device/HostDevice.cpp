#include "drumlin/runtime/device/HostDevice.h"

#include <cstring>
#include <new>

namespace drumlin {

static constexpr std::align_val_t alignment{AlignedMemory::alignment};

std::optional<DeviceMemory::Block> HostMemory::take(size_t bytes) {
  if (bytes > SIZE_MAX - AlignedMemory::readableBehind) {
    return std::nullopt;
  }
  Block block;
  block.bytes = bytes;
  if (bytes >= MemoryPool::least) {
    std::optional<AlignedMemory> pages = pool.take(bytes);
    if (!pages) {
      return std::nullopt;
    }
    block.pages = std::move(*pages);
    block.address = block.pages.data();
  } else {
    block.address = static_cast<std::byte *>(
        ::operator new(bytes + AlignedMemory::readableBehind, alignment, std::nothrow));
    if (!block.address) {
      return std::nullopt;
    }
  }
  return block;
}

void HostMemory::giveBack(Block block) {
  if (block.pages.data()) {
    pool.giveBack(std::move(block.pages));
  } else {
    ::operator delete(block.address, alignment);
  }
}

static void copy(std::byte *to, const std::byte *from, size_t bytes) {
  if (bytes != 0) {
    std::memcpy(to, from, bytes);
  }
}

void HostMemory::copyFromHost(std::byte *to, const std::byte *from, size_t bytes) {
  copy(to, from, bytes);
}

void HostMemory::copyToHost(std::byte *to, const std::byte *from, size_t bytes) {
  copy(to, from, bytes);
}

Result<std::unique_ptr<Executable>> HostDevice::load(std::span<const std::byte> image,
                                                     const std::string &name, LoadOptions options) {
  options.pool = pool;
  return Executable::loadFromMemory(image, name, options);
}

} // namespace drumlin

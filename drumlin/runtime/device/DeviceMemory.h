// The memory of a device.
#pragma once

#include "drumlin/runtime/cpu/AlignedMemory.h"

#include <cstddef>
#include <optional>

namespace drumlin {

// Addresses are the device's. Where the memory isn't the host's, the host neither reads nor writes
// them, but copies. All may be called from several threads at once.
class DeviceMemory {
public:
  struct Block {
    std::byte *address = nullptr; // a multiple of 64; programs may read 64 bytes behind the block
    size_t bytes = 0;
    AlignedMemory pages = {}; // of the host's memory, where the block has pages of its own
  };

  virtual ~DeviceMemory() = default;
  // Nothing where the device has no such memory.
  virtual std::optional<Block> take(size_t bytes) = 0;
  virtual void giveBack(Block block) = 0;

  // Whether the host reads and writes these addresses as its own.
  virtual bool isHosts() const = 0;
  virtual void copyFromHost(std::byte *to, const std::byte *from, size_t bytes) = 0;
  virtual void copyToHost(std::byte *to, const std::byte *from, size_t bytes) = 0;
};

} // namespace drumlin

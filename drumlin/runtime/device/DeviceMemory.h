// The memory of a device.
#pragma once

#include "drumlin/runtime/cpu/AlignedMemory.h"

#include <cstddef>
#include <optional>

namespace drumlin {

// The memory of a device, with device addresses. If it isn't the host's memory, the host must copy
// instead of reading or writing these addresses. All functions may be called from several threads
// at once.
class DeviceMemory {
public:
  struct Block {
    std::byte *address = nullptr; // is a multiple of 64; programs may read 64 bytes past the end
    size_t bytes = 0;
    AlignedMemory pages = {}; // the block's memory if it is a large block of host memory
  };

  virtual ~DeviceMemory() = default;
  // Allocates a block; returns nothing if the device has too little memory.
  virtual std::optional<Block> take(size_t bytes) = 0;
  virtual void giveBack(Block block) = 0;

  // Whether the host may read and write these addresses directly.
  virtual bool isHosts() const = 0;
  virtual void copyFromHost(std::byte *to, const std::byte *from, size_t bytes) = 0;
  virtual void copyToHost(std::byte *to, const std::byte *from, size_t bytes) = 0;
};

} // namespace drumlin

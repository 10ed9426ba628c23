// The host's processors and memory as a device.
#pragma once

#include "drumlin/runtime/device/Device.h"
#include "drumlin/runtime/device/MemoryPool.h"

namespace drumlin {

class HostMemory : public DeviceMemory {
public:
  std::optional<Block> take(size_t bytes) override;
  void giveBack(Block block) override;
  bool isHosts() const override { return true; }
  void copyFromHost(std::byte *to, const std::byte *from, size_t bytes) override;
  void copyToHost(std::byte *to, const std::byte *from, size_t bytes) override;

private:
  MemoryPool pool; // for large blocks; small ones come from the heap
};

class HostDevice : public Device {
public:
  // Creates a device; `threads` has the same meaning as for ThreadPool.
  explicit HostDevice(unsigned threads) : pool(std::make_shared<ThreadPool>(threads)) {}

  DeviceMemory &memory() override { return hostMemory; }
  Queue &queue() override { return pool->jobs(); }
  double measureHandOver() override { return pool->jobs().measureHandOver(); }
  Result<std::unique_ptr<Executable>> load(std::span<const std::byte> image,
                                           const std::string &name, LoadOptions options) override;
  Status run(Executable &executable, const RunRequest &request) override {
    return executable.run(request);
  }

private:
  HostMemory hostMemory;
  std::shared_ptr<ThreadPool> pool;
};

} // namespace drumlin

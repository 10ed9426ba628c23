// A device: its memory, its job queue, and functions to load and run programs on it.
#pragma once

#include "drumlin/runtime/cpu/Queue.h"
#include "drumlin/runtime/device/DeviceMemory.h"
#include "drumlin/runtime/executable/Executable.h"

#include <memory>
#include <span>
#include <string>

namespace drumlin {

class Device {
public:
  virtual ~Device() = default;

  virtual DeviceMemory &memory() = 0;
  virtual Queue &queue() = 0;
  // Measures the delay in seconds between submitting work to the queue and the caller receiving its
  // result.
  virtual double measureHandOver() = 0;

  // Loads a program for this device's threads. Fails as Executable::loadFromMemory() does.
  virtual Result<std::unique_ptr<Executable>>
  load(std::span<const std::byte> image, const std::string &name, LoadOptions options) = 0;
  // Runs a program loaded on this device, on values at addresses in the device's memory. Fails as
  // Executable::run() does.
  virtual Status run(Executable &executable, const RunRequest &request) = 0;
};

} // namespace drumlin

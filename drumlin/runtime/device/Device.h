// A device: its memory, its queue of work, and how programs are loaded and run on it.
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
  // Returns how many seconds later a caller has a result if its work is handed to the queue.
  virtual double measureHandOver() = 0;

  // Loads a program for this device's threads. Fails as Executable::loadFromMemory() does.
  virtual Result<std::unique_ptr<Executable>>
  load(std::span<const std::byte> image, const std::string &name, LoadOptions options) = 0;
  // Runs a program that was loaded here, on values at addresses of the device's memory. Fails as
  // Executable::run() does.
  virtual Status run(Executable &executable, const RunRequest &request) = 0;
};

} // namespace drumlin

// Creates the devices of clients; defined by the program that links the plugin.
#pragma once

#include "drumlin/runtime/device/Device.h"

#include <memory>

namespace drumlin::pjrt {

// Creates a device with this number of threads for its programs; 0: one for each processor.
std::shared_ptr<drumlin::Device> makeDevice(unsigned threads);

} // namespace drumlin::pjrt

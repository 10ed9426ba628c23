// The devices of clients, which what links the plugin makes.
#pragma once

#include "drumlin/runtime/device/Device.h"

#include <memory>

namespace drumlin::pjrt {

// `threads` run its programs; 0: one for each processor.
std::shared_ptr<drumlin::Device> makeDevice(unsigned threads);

} // namespace drumlin::pjrt

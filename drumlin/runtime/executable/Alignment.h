// The alignment of values' addresses.
#pragma once

#include "drumlin/runtime/drumlin.h"

#include <cstdint>

namespace drumlin {

// Whether a pointer is a multiple of `alignment` bytes; kernels require the default alignment.
inline bool isAligned(const void *pointer, uint64_t alignment = DRUMLIN_ALIGNMENT) {
  return reinterpret_cast<uintptr_t>(pointer) % alignment == 0;
}

} // namespace drumlin

// How much work goes into a module's code.
#pragma once

#include <cstdint>

namespace drumlin::codegen {

// An entry is long straight code that only stores pointers and calls: no pass makes it faster, and
// many take more than linear time on it. The others are kernels (drumlin/ir/plan/CodeEffort.h).
enum class Effort : uint8_t { Full, Lean, Quick, Entry };

} // namespace drumlin::codegen

// How much optimization a module's code gets.
#pragma once

#include <cstdint>

namespace drumlin::codegen {

// Entry: a long straight-line function that only stores pointers and calls; no pass makes it
// faster, and many take superlinear time on it. The other levels are for kernels
// (ir/plan/CodeEffort.h).
enum class Effort : uint8_t { Full, Lean, Quick, Entry };

} // namespace drumlin::codegen

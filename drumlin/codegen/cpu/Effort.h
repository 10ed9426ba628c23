// How much LLVM optimizes the code of a module.
#pragma once

#include <cstdint>

namespace drumlin::codegen {

// `Entry` is for the entry, a long straight-line function that only stores pointers and calls
// kernels. No LLVM pass makes it faster, and many passes take superlinear time on it. The other
// levels are for kernels (ir/plan/CodeEffort.h).
enum class Effort : uint8_t { Full, Lean, Quick, Entry };

} // namespace drumlin::codegen

// What the processor that this process runs on can do, under the names that LLVM gives to features
// of its architecture (`avx512f`, `sse4.1`, `fma`; `neon`, `dotprod`). A feature counts only if the
// operating system keeps its registers too.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// Sorted. Empty on architectures that there is no code for. Tiles are asked for on the way: Linux
// gives their registers only to a process that does, and not everywhere.
std::vector<std::string> hostCpuFeatures();

// All names that are known here, sorted.
std::vector<std::string> knownCpuFeatures();

// Those of `required` that the host lacks, in their order. A name that isn't known here counts as
// lacking; names of tuning flags (`prefer-256-bit`) therefore have no place in the list.
std::vector<std::string> missingCpuFeatures(std::span<const std::string> required);

} // namespace drumlin

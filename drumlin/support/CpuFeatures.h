// The features of this process's processor, under LLVM's names (`avx512f`, `sse4.1`, `fma`; `neon`,
// `dotprod`). A feature counts only if the operating system also saves its registers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// Returns the processor's features, sorted; empty on unsupported architectures. Requests access to
// AMX tile registers, which Linux grants only to a process that asks, and not everywhere.
std::vector<std::string> hostCpuFeatures();

// Returns all known feature names, sorted.
std::vector<std::string> knownCpuFeatures();

// Returns the features of `required` that the host lacks, in their order. An unknown name counts as
// lacking, so the list must not contain tuning flags (`prefer-256-bit`).
std::vector<std::string> missingCpuFeatures(std::span<const std::string> required);

} // namespace drumlin

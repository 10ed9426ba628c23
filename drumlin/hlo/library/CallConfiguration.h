// Reads the attribute `backend_config` of library calls in programs that XLA compiled for GPUs.
#pragma once

#include "llvm/Support/JSON.h"

#include <optional>
#include <string_view>

namespace drumlin::hlo {

// Reads a configuration, which is JSON of a protobuf message, and returns the part that `name`
// calls; nothing if it isn't valid JSON or has no such part.
// Source: XLA, `xla/service/gpu/backend_configs.proto`, `GpuBackendConfig`.
std::optional<llvm::json::Object> readCallConfiguration(std::string_view text,
                                                        std::string_view name);

} // namespace drumlin::hlo

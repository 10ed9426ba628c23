// Reads the attribute `backend_config` of library calls in programs that XLA compiled for GPUs.
#pragma once

#include "llvm/Support/JSON.h"

#include <optional>
#include <string_view>

namespace drumlin::hlo {

// Parses a configuration, which is a protobuf message as JSON, and returns its member `name`;
// nullopt if it isn't valid JSON or has no such member.
// Source: XLA, `xla/service/gpu/backend_configs.proto`, `GpuBackendConfig`.
std::optional<llvm::json::Object> readCallConfiguration(std::string_view text,
                                                        std::string_view name);

} // namespace drumlin::hlo

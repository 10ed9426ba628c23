// What a framework asks of a compilation: xla's CompileOptionsProto, as far as it means something
// here (xla/pjrt/proto/compile_options.proto of openxla/xla).
#pragma once

#include "drumlin/pjrt/XlaOptions.h"

#include <cstdint>

namespace drumlin::pjrt {

struct CompileRequest {
  int64_t replicas = 1, partitions = 1;
  std::vector<int64_t> devices = {}; // by replica, then partition; empty: the first ones
  // `env_option_overrides`: what JAX's users pass as `compiler_options`, and what is said here of
  // XLA's own. Those that mean nothing here are in `ignored`, by their names.
  std::vector<CompileOption> options = {};
  std::vector<std::string> ignored = {};
  EntryLayouts layouts = {}; // `argument_layouts` and `result_layout`
};

// Fails with CommandLineInvalid where the bytes are no such message, and as checkXlaOption() does.
Result<CompileRequest> readCompileOptions(std::string_view bytes);

// xla's DeviceAssignmentProto.
std::string writeDeviceAssignment(const CompileRequest &request);

} // namespace drumlin::pjrt

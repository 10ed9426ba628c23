// The compile options of a framework: xla's CompileOptionsProto, as far as it applies here
// (xla/pjrt/proto/compile_options.proto of openxla/xla).
#pragma once

#include "drumlin/pjrt/XlaOptions.h"

#include <cstdint>

namespace drumlin::pjrt {

struct CompileRequest {
  int64_t replicas = 1, partitions = 1;
  std::vector<int64_t> devices = {}; // ordered by replica, then partition; empty: the first devices
  // The options of `env_option_overrides`, which JAX's users pass as `compiler_options`, and the
  // counterparts of XLA's own options. `ignored`: the names of the given options that have no
  // effect here.
  std::vector<CompileOption> options = {};
  std::vector<std::string> ignored = {};
  EntryLayouts layouts = {}; // from `argument_layouts` and `result_layout`
};

// Parses a serialized CompileOptionsProto. Fails with CommandLineInvalid if the bytes aren't such a
// message, or with an error of checkXlaOption().
Result<CompileRequest> readCompileOptions(std::string_view bytes);

// Serializes xla's DeviceAssignmentProto.
std::string writeDeviceAssignment(const CompileRequest &request);

} // namespace drumlin::pjrt

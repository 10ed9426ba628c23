#include "drumlin/pjrt/HostCallbacks.h"

#include "drumlin/runtime/calls/Registry.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"

#include <algorithm>
#include <cstring>

namespace drumlin::pjrt {

static constexpr const char *targets[] = {"xla_ffi_python_cpu_callback",
                                          "xla_ffi_partitioned_python_cpu_callback"};

bool isCallback(std::string_view target) {
  return std::ranges::find(targets, target) != std::end(targets);
}

namespace {
// Operands or results as the C interface describes them, with the data to which the descriptions
// point.
struct Values {
  std::vector<drumlin_value> values;
  std::vector<void *> buffers;

  Values(const std::vector<HostValue> &from, HostBuffers places) {
    for (size_t i = 0; i < from.size(); ++i) {
      drumlin_value value = {};
      value.name = "";
      value.type = from[i].type ? name(*from[i].type).data() : "token";
      value.dims = from[i].shape.data();
      value.rank = from[i].shape.size();
      if (from[i].type) {
        value.bytes = static_cast<size_t>(byteCount(*from[i].type, from[i].shape).value_or(0));
      }
      values.push_back(value);
      buffers.push_back(places[i]);
    }
  }
};
} // namespace

static void fail(const drumlin_callback *call, const char *message) {
  static_cast<std::string *>(call->context)->assign(message);
}

static std::optional<uint64_t> indexOf(const HostCall &call) {
  for (const HostAttribute &attribute : call.attributes) {
    const auto *scalar = std::get_if<HostAttribute::Scalar>(&attribute.value);
    if (attribute.name == "index" && scalar && scalar->bytes.size() == sizeof(uint64_t)) {
      uint64_t index = 0;
      std::memcpy(&index, scalar->bytes.data(), sizeof(index));
      return index;
    }
  }
  return std::nullopt;
}

static Status callFunction(void (*caller)(const drumlin_callback *), const HostCall &call,
                           HostBuffers operands, HostBuffers results, const HostRun &run) {
  std::optional<uint64_t> index = indexOf(call);
  if (!index || run.dataOfRun.empty()) {
    return diagnose(errors::HostCallFailed,
                    "a callback has no number, or the run was started without functions");
  }
  void *const *functions = *static_cast<void *const *const *>(run.dataOfRun.front().data);
  Values given(call.operands, operands), made(call.results, results);
  std::string message;
  drumlin_callback callback = {sizeof(drumlin_callback),
                               functions[*index],
                               given.values.data(),
                               given.buffers.data(),
                               given.values.size(),
                               made.values.data(),
                               made.buffers.data(),
                               made.values.size(),
                               fail,
                               &message};
  caller(&callback);
  return message.empty() ? Status(Done()) : diagnose(errors::HostCallFailed, std::move(message));
}

Status setCallbackCaller(void (*caller)(const drumlin_callback *)) {
  for (const char *target : targets) {
    RuntimeCode code = [caller](const HostCall &call, HostBuffers operands, HostBuffers results,
                                const HostRun &run) {
      return callFunction(caller, call, operands, results, run);
    };
    if (Status status = registerHostCode(target, code); !status) {
      return status;
    }
  }
  return Done();
}

} // namespace drumlin::pjrt

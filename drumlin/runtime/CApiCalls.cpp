// The C interface for host calls: custom calls, handlers and transfers.
#include "drumlin/runtime/CApi.h"
#include "drumlin/runtime/calls/FfiApi.h"
#include "drumlin/runtime/calls/LapackLibrary.h"
#include "drumlin/runtime/calls/Registry.h"
#include "drumlin/support/diagnostics/CallErrors.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"

#include <cstring>
#include <new>

using namespace drumlin;

static drumlin_error *asError(const Status &status) {
  return status ? nullptr : new drumlin_error{status.error()};
}

drumlin_error *drumlin_register_custom_call(const char *name, int api_version, void *function) try {
  Result<HostCode> code = hostCodeOf(api_version, function);
  return asError(code ? registerHostCode(name ? name : "", *code) : Status(code.error()));
} catch (const std::bad_alloc &) {
  return noMemory();
}

static ffi::HandlerBundle handlersOf(const struct XLA_FFI_Handler_Bundle *bundle) {
  ffi::HandlerBundle handlers = {};
  if (bundle) {
    std::memcpy(&handlers, bundle, sizeof(handlers));
  }
  return handlers;
}

drumlin_error *drumlin_register_ffi_handler(const char *name,
                                            const struct XLA_FFI_Handler_Bundle *bundle) try {
  return asError(registerHostCode(name ? name : "", handlersOf(bundle)));
} catch (const std::bad_alloc &) {
  return noMemory();
}

drumlin_error *drumlin_register_ffi_alternative(const char *name,
                                                const struct XLA_FFI_Handler_Bundle *bundle) try {
  return asError(registerAlternative(name ? name : "", handlersOf(bundle)));
} catch (const std::bad_alloc &) {
  return noMemory();
}

void drumlin_offer_lapack(const char *file) {
  if (file) {
    LapackLibrary::offer(file);
  }
}

drumlin_error *drumlin_context_set_user_data(drumlin_context *context, int64_t type_id,
                                             void *data) try {
  if (!context) {
    return asError(diagnose(errors::ArgumentMismatch, "the context is a null pointer"));
  }
  return asError(context->executable->setUserData(*context->context, type_id, data));
} catch (const std::bad_alloc &) {
  return noMemory();
}

const struct XLA_FFI_Api *drumlin_ffi_api(void) {
  return reinterpret_cast<const struct XLA_FFI_Api *>(&ffiApi());
}

static const char *kindOf(HostInterface interface) {
  switch (interface) {
  case HostInterface::Infeed:
    return "infeed";
  case HostInterface::Outfeed:
    return "outfeed";
  case HostInterface::Send:
    return "send";
  default:
    return "recv";
  }
}

// Performs a transfer: passes the call's values to `function` in the call's order, without tokens.
static Status transfer(drumlin_transfer_function function, void *context, const HostCall &call,
                       int64_t process, HostBuffers operands, HostBuffers results) {
  bool goesIn = call.interface == HostInterface::Infeed || call.interface == HostInterface::Recv;
  const std::vector<HostValue> &values = goesIn ? call.results : call.operands;
  HostBuffers pointers = goesIn ? results : operands;
  std::vector<drumlin_value> described;
  std::vector<void *> buffers;
  for (size_t i = 0; i < values.size(); ++i) {
    const HostValue &value = values[i];
    if (value.isToken()) {
      continue;
    }
    auto bytes = static_cast<size_t>(byteCount(*value.type, value.shape).value_or(0));
    described.push_back({"", name(*value.type).data(), value.shape.data(), value.shape.size(),
                         bytes, -1, value.layout.empty() ? nullptr : value.layout.data(), 0});
    buffers.push_back(pointers[i]);
  }
  bool hasChannel = call.interface == HostInterface::Send || call.interface == HostInterface::Recv;
  drumlin_transfer made = {sizeof(drumlin_transfer),
                           kindOf(call.interface),
                           call.opaque.c_str(),
                           hasChannel ? std::strtoll(call.target.c_str(), nullptr, 10) : -1,
                           described.data(),
                           described.size(),
                           process};
  const char *message = function(context, &made, buffers.data());
  return message ? Status(diagnose(errors::HostCallFailed, std::string(made.kind) + ": " + message))
                 : Done();
}

drumlin_error *drumlin_on_transfer(drumlin_executable *executable,
                                   drumlin_transfer_function function, void *context) try {
  if (!executable) {
    return asError(diagnose(errors::ArgumentMismatch, "the executable is a null pointer"));
  }
  CallTable::TransferCaller caller;
  if (function) {
    caller = [=](const HostCall &call, int64_t process, HostBuffers operands, HostBuffers results) {
      return transfer(function, context, call, process, operands, results);
    };
  }
  executable->executable->setTransfers(std::move(caller));
  return nullptr;
} catch (const std::bad_alloc &) {
  return noMemory();
}

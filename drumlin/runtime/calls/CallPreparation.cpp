#include "drumlin/runtime/calls/CallPreparation.h"

#include "drumlin/runtime/calls/Builtins.h"
#include "drumlin/runtime/calls/FfiCall.h"
#include "drumlin/runtime/calls/OthersCode.h"
#include "drumlin/runtime/calls/Registry.h"
#include "drumlin/runtime/cpu/ThreadPool.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"

#include <atomic>

namespace drumlin {

namespace {
// A call of code that the runtime implements.
class OwnCall : public PreparedCall {
public:
  OwnCall(const HostCall &call, RuntimeCode code) : call(call), code(std::move(code)) {}

  Status run(HostBuffers operands, HostBuffers results, const HostRun &run) const override {
    return code(run.sized ? *run.sized : call, operands, results, run);
  }

private:
  HostCall call;
  RuntimeCode code;
};

// A call of either the runtime's code or a framework's: the sizes of each run decide. The
// framework's code is also called if the runtime's code refuses the call before writing any result,
// for example because the call is for another version of the target.
class ChosenCall : public PreparedCall {
public:
  ChosenCall(const HostCall &call, std::unique_ptr<PreparedCall> own,
             std::unique_ptr<PreparedCall> alternative)
      : call(call), isChosenBySizes(isBuiltinChosenBySizes(call.target)), own(std::move(own)),
        alternative(std::move(alternative)) {}

  Status run(HostBuffers operands, HostBuffers results, const HostRun &run) const override {
    if (!isChosenBySizes ||
        prefersBuiltin(run.sized ? *run.sized : call, run.pool ? run.pool->threads() : 1)) {
      Status status = own->run(operands, results, run);
      if (status || status.error().code != errors::HostCallFailed) {
        return status;
      }
    }
    return alternative->run(operands, results, run);
  }

private:
  HostCall call;
  bool isChosenBySizes;
  std::unique_ptr<PreparedCall> own, alternative;
};

// The layout of XLA's `XlaCustomCallStatus` (xla/service/custom_call_status_internal.h). A called
// function sets the message if it fails.
struct CustomCallStatus {
  std::optional<std::string> message;
};

// A call by one of the conventions before XLA's foreign function interface (`api_version` 1 to 3).
// The function gets a pointer to its result or, if there are several results, an array of pointers.
class PlainCall : public PreparedCall {
public:
  PlainCall(const HostCall &call, void *function) : call(call), function(function) {}

  Status run(HostBuffers operands, HostBuffers results, const HostRun &) const override {
    return callOthersCode(call, [&] { return callFunction(operands, results); });
  }

private:
  Status callFunction(HostBuffers operands, HostBuffers results) const {
    std::vector<const void *> in(operands.begin(), operands.end());
    std::vector<void *> several(results.begin(), results.end());
    void *out = results.size() == 1 ? results.front() : static_cast<void *>(several.data());
    CustomCallStatus status;
    switch (call.interface) {
    case HostInterface::Original:
      reinterpret_cast<void (*)(void *, const void **)>(function)(out, in.data());
      break;
    case HostInterface::StatusReturning:
      reinterpret_cast<void (*)(void *, const void **, CustomCallStatus *)>(function)(
          out, in.data(), &status);
      break;
    default:
      reinterpret_cast<void (*)(void *, const void **, const char *, size_t, CustomCallStatus *)>(
          function)(out, in.data(), call.opaque.data(), call.opaque.size(), &status);
    }
    if (status.message) {
      return diagnose(errors::HostCallFailed, "`@" + call.target + "`: " + *status.message);
    }
    return Done();
  }

  HostCall call;
  void *function;
};
} // namespace

static Diagnostic otherConvention(const HostCall &call) {
  return diagnose(errors::HostCodeInvalid,
                  "the code registered as `" + call.target +
                      "` has another convention (`api_version`) than the call");
}

static Result<std::unique_ptr<PreparedCall>> prepare(const HostCall &call, const HostCode &code) {
  if (const auto *handlers = std::get_if<ffi::HandlerBundle>(&code)) {
    return call.interface == HostInterface::TypedFfi
               ? prepareFfiCall(call, *handlers)
               : Result<std::unique_ptr<PreparedCall>>(otherConvention(call));
  }
  if (const auto *plain = std::get_if<PlainFunction>(&code)) {
    return call.interface == plain->interface ? Result<std::unique_ptr<PreparedCall>>(
                                                    std::make_unique<PlainCall>(call,
                                                                                plain->function))
                                              : otherConvention(call);
  }
  return std::unique_ptr<PreparedCall>(
      std::make_unique<OwnCall>(call, std::get<RuntimeCode>(code)));
}

static Result<std::unique_ptr<PreparedCall>> prepare(const HostCall &call, FoundCode code) {
  if (code.registered) {
    return prepare(call, *code.registered);
  }
  if (code.own && code.alternative && !isBuiltinUsable(call.target)) {
    code.own.reset();
  }
  if (!code.own) {
    return code.alternative
               ? prepare(call, *code.alternative)
               : diagnose(errors::HostCodeMissing,
                          "the program calls `@" + call.target + "`, which nobody has registered");
  }
  std::unique_ptr<PreparedCall> own = std::make_unique<OwnCall>(call, std::move(*code.own));
  if (!code.alternative) {
    return own;
  }
  Result<std::unique_ptr<PreparedCall>> alternative = prepare(call, *code.alternative);
  return alternative ? std::make_unique<ChosenCall>(call, std::move(own), std::move(*alternative))
                     : std::move(own);
}

Result<std::unique_ptr<PreparedCall>> prepareCall(const HostCall &call,
                                                  const std::string &location) {
  Result<std::unique_ptr<PreparedCall>> made = prepare(call, findHostCode(call.target));
  if (!made) {
    return diagnose(made.error().code, made.error().message, location);
  }
  return made;
}

int64_t nextRunId() {
  static std::atomic<int64_t> last{0};
  return ++last;
}

Status callOnce(const HostCall &call, HostBuffers operands, HostBuffers results) {
  Result<std::unique_ptr<PreparedCall>> prepared = prepareCall(call, "");
  return prepared ? (*prepared)->run(operands, results, {.id = nextRunId()})
                  : Status(prepared.error());
}

} // namespace drumlin

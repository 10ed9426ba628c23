// A run's `send` to the host and `recv` from it, as the framework wants to be called for them.
#pragma once

#include "drumlin/pjrt/Outcome.h"
#include "drumlin/support/HostCall.h"

#include <map>

namespace drumlin::pjrt {

// The framework's functions by their channels. The run that a thread makes finds its own.
class HostTransfers {
public:
  // Of a run on one device.
  explicit HostTransfers(const ExecuteOptions &options);

  // While it is there, transfers of this thread's run are made by it; by the one before after that.
  class Scope {
  public:
    explicit Scope(const HostTransfers &transfers);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    const HostTransfers *before;
  };
  // Makes a transfer of this thread's run.
  static Status transfer(const HostCall &call, HostBuffers operands, HostBuffers results);

private:
  Status send(const HostCall &call, HostBuffers operands) const;
  Status receive(const HostCall &call, HostBuffers results) const;

  std::map<int64_t, SendCallbackInfo> sends = {};
  std::map<int64_t, RecvCallbackInfo> receives = {};
};

} // namespace drumlin::pjrt

// A run's `send` to the host and `recv` from it, made through the framework's callbacks.
#pragma once

#include "drumlin/pjrt/Outcome.h"
#include "drumlin/support/HostCall.h"

#include <map>

namespace drumlin::pjrt {

// The framework's callbacks for transfers, by channel. Each thread uses the callbacks of the run
// that it executes.
class HostTransfers {
public:
  // Collects the callbacks of a run on one device.
  explicit HostTransfers(const ExecuteOptions &options);

  // Uses these callbacks for transfers of this thread's run during the scope's lifetime, then
  // restores the previous ones.
  class Scope {
  public:
    explicit Scope(const HostTransfers &transfers);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    const HostTransfers *before;
  };
  // Executes a transfer. The calling thread must be executing the run that contains it.
  static Status transfer(const HostCall &call, HostBuffers operands, HostBuffers results);

private:
  Status send(const HostCall &call, HostBuffers operands) const;
  Status receive(const HostCall &call, HostBuffers results) const;

  std::map<int64_t, SendCallbackInfo> sends = {};
  std::map<int64_t, RecvCallbackInfo> receives = {};
};

} // namespace drumlin::pjrt

#include "drumlin/pjrt/HostTransfers.h"

#include "drumlin/pjrt/CopyToDeviceStream.h"
#include "drumlin/support/diagnostics/HostCallErrors.h"

#include <cstring>

namespace drumlin::pjrt {

static thread_local const HostTransfers *transfersOfThread = nullptr;

HostTransfers::HostTransfers(const ExecuteOptions &options) {
  for (size_t i = 0; i < options.numSendOps && options.sendCallbacks; ++i) {
    const SendCallbackInfo &info = options.sendCallbacks[0][i];
    sends.emplace(info.channelId, info);
  }
  for (size_t i = 0; i < options.numRecvOps && options.recvCallbacks; ++i) {
    const RecvCallbackInfo &info = options.recvCallbacks[0][i];
    receives.emplace(info.channelId, info);
  }
}

HostTransfers::Scope::Scope(const HostTransfers &transfers)
    : before(std::exchange(transfersOfThread, &transfers)) {}

HostTransfers::Scope::~Scope() { transfersOfThread = before; }

static Diagnostic noCallback(const HostCall &call, const char *what) {
  return diagnose(errors::HostCallFailed,
                  std::string("the run was started without a callback for the `") + what +
                      "` on channel " + call.target);
}

Status HostTransfers::transfer(const HostCall &call, HostBuffers operands, HostBuffers results) {
  switch (call.interface) {
  case HostInterface::Send:
    return transfersOfThread->send(call, operands);
  case HostInterface::Recv:
    return transfersOfThread->receive(call, results);
  default:
    return diagnose(errors::HostCallFailed,
                    "frameworks have no functions for `infeed` and `outfeed`");
  }
}

// Returns the memory of each value that isn't empty.
static std::vector<std::span<std::byte>> bytesOf(const std::vector<HostValue> &values,
                                                 HostBuffers buffers) {
  std::vector<std::span<std::byte>> made;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].isToken()) {
      made.emplace_back(
          static_cast<std::byte *>(buffers[i]),
          static_cast<size_t>(byteCount(*values[i].type, values[i].shape).value_or(0)));
    }
  }
  return made;
}

static int64_t channelOf(const HostCall &call) {
  return std::strtoll(call.target.c_str(), nullptr, 10);
}

// Sends each value as a separate chunk, which the callback owns.
Status HostTransfers::send(const HostCall &call, HostBuffers operands) const {
  auto found = sends.find(channelOf(call));
  if (found == sends.end()) {
    return noCallback(call, "send");
  }
  std::vector<std::span<std::byte>> values = bytesOf(call.operands, operands);
  size_t total = 0;
  for (std::span<std::byte> value : values) {
    total += value.size();
  }
  CallbackError makeError = [](ErrorCode code, const char *message, size_t size) {
    return errorOf(fail(code, std::string(message, size)));
  };
  for (size_t i = 0; i < values.size(); ++i) {
    auto *copy = new std::byte[values[i].size()];
    std::ranges::copy(values[i], copy);
    Chunk chunk = {copy, values[i].size(),
                   [](void *data, void *) { delete[] static_cast<std::byte *>(data); }, nullptr};
    const SendCallbackInfo &info = found->second;
    Outcome outcome = takeOutcome(
        info.sendCallback(&chunk, &makeError, total, i + 1 == values.size(), info.userArg));
    if (!outcome) {
      return diagnose(errors::HostCallFailed, "send: " + outcome.failure().message);
    }
  }
  return Done();
}

Status HostTransfers::receive(const HostCall &call, HostBuffers results) const {
  auto found = receives.find(channelOf(call));
  if (found == receives.end()) {
    return noCallback(call, "recv");
  }
  auto values = std::make_shared<ReceivedValues>(bytesOf(call.results, results));
  found->second.recvCallback(new CopyToDeviceStream{values}, found->second.userArg);
  Outcome outcome = values->wait();
  return outcome ? Status(Done()) : diagnose(errors::HostCallFailed, outcome.failure().message);
}

} // namespace drumlin::pjrt

// The values of a program's `recv` from the host, which arrive in pieces, on any thread.
#pragma once

#include "drumlin/pjrt/Outcome.h"

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace drumlin::pjrt {

// The memory of the received values. The pieces fill one value after another; the program waits
// until all bytes have arrived.
class ReceivedValues {
public:
  explicit ReceivedValues(std::vector<std::span<std::byte>> values);
  // Appends a piece. Fails if it exceeds the values' size.
  Outcome add(std::span<const std::byte> piece);
  // Ends the stream: no more pieces follow.
  void close();
  // Waits until all bytes have arrived; fails if the stream ends before.
  Outcome wait();
  size_t total() const { return totalBytes; }
  size_t current();

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::span<std::byte>> values;
  size_t totalBytes = 0, currentBytes = 0;
  bool isClosed = false;
};

// The stream as passed to the framework's callback, which destroys it.
struct CopyToDeviceStream {
  std::shared_ptr<ReceivedValues> values;
};

} // namespace drumlin::pjrt

// What a program's `recv` from the host is given, piece by piece, on any thread.
#pragma once

#include "drumlin/pjrt/Outcome.h"

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace drumlin::pjrt {

// The memory that the pieces fill, one value after the other. The program waits for it.
class ReceivedValues {
public:
  explicit ReceivedValues(std::vector<std::span<std::byte>> values);
  // Fails where there is no room for so much.
  Outcome add(std::span<const std::byte> piece);
  // No more is coming.
  void close();
  // Until all is there; fails where it ends before.
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

// The receiver's side of it, which it destroys.
struct CopyToDeviceStream {
  std::shared_ptr<ReceivedValues> values;
};

} // namespace drumlin::pjrt

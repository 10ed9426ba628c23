// What kernels did while a framework's profiler was on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace drumlin::pjrt {

class Profile {
public:
  using Time = std::chrono::steady_clock::time_point;

  // The one of the process; null where no profiler is on.
  static std::shared_ptr<Profile> current();
  // From now on, this one's kernels are recorded. False where a profiler is on already.
  static bool begin(std::shared_ptr<Profile> profile);
  static void end();

  // A range of a kernel's tiles that this thread has computed. Of more than some million, later
  // ones are left out.
  void add(const std::string &program, const std::string &kernel, int64_t tileBegin,
           int64_t tileEnd, Time begin, Time end);

  // All that was recorded, as tsl's XSpace message has it (tsl/profiler/protobuf/xplane.proto of
  // openxla/xla): a plane with a line for each thread.
  std::string toXSpace() const;

private:
  struct Span {
    std::string program, kernel;
    int64_t tileBegin, tileEnd;
    int64_t thread;
    Time begin, end;
  };
  const Time began = std::chrono::steady_clock::now();
  // The same moment since 1970, as others say when their events were.
  const std::chrono::nanoseconds since = std::chrono::system_clock::now().time_since_epoch();
  mutable std::mutex mutex;
  std::vector<Span> spans;
};

} // namespace drumlin::pjrt

// Records of kernels that ran while a framework's profiler was on.
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

  // Returns the process's current profile; null if no profiler is on.
  static std::shared_ptr<Profile> current();
  // Starts recording kernels in `profile`. False if a profiler is on already.
  static bool begin(std::shared_ptr<Profile> profile);
  static void end();

  // Records a range of a kernel's tiles that this thread computed. Drops records after the first
  // million.
  void add(const std::string &program, const std::string &kernel, int64_t tileBegin,
           int64_t tileEnd, Time begin, Time end);

  // Returns all records as tsl's XSpace message (tsl/profiler/protobuf/xplane.proto of
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
  // The same moment as `began`, as time since 1970, to align the records with other profilers'
  // events.
  const std::chrono::nanoseconds since = std::chrono::system_clock::now().time_since_epoch();
  mutable std::mutex mutex;
  std::vector<Span> spans;
};

} // namespace drumlin::pjrt

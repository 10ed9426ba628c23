// What a run did: its launches, and the tiles that each thread computed, as Chrome's trace events.
#pragma once

#include "drumlin/runtime/executable/Executable.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace drumlin::cli {

class Trace {
public:
  // An executable that is loaded so, of an image that times its kernels, tells this trace what it
  // does; the trace outlives its runs.
  void observe(LoadOptions &options);

  // Around the run, on the thread that calls it.
  void begin();
  void end();

  std::string json(const ImageDescription &image) const;

private:
  using Time = std::chrono::steady_clock::time_point;
  struct Span {
    int64_t kernel;
    long thread;
    Time begin, end;
    int64_t tileBegin, tileEnd; // of a range of tiles; -1: a launch
  };
  class Writer;
  void add(const Span &span);

  std::mutex adding;
  std::vector<Span> spans;
  int64_t leftOut = 0;
  Time launched, began, ended;
  long caller = 0;
};

} // namespace drumlin::cli

// Writes a run's launches, and the tiles that each thread computed, as Chrome trace events.
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
  // Changes the options so that an executable loaded with them reports to this trace. The image
  // must time its kernels. The trace must outlive the executable's runs.
  void observe(LoadOptions &options);

  // Mark the begin and the end of the run; called on the thread that runs the program.
  void begin();
  void end();

  std::string json(const ImageDescription &image) const;

private:
  using Time = std::chrono::steady_clock::time_point;
  struct Span {
    int64_t kernel;
    long thread;
    Time begin, end;
    int64_t tileBegin, tileEnd; // the computed tiles; -1: the span is a launch
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

// Work that may crash or never end, in a copy of this process.
#pragma once

#include <functional>
#include <string>

namespace drumlin::reduce {

struct ForkedEnd {
  enum class Kind { Exited, Signalled, TimedOut, Stopped, NotStarted } kind = Kind::NotStarted;
  int number = 0;     // the exit status or the signal
  std::string answer; // what the work made
  std::string errors; // the first part of what it wrote to standard error
};

struct ForkLimits {
  double seconds = 0;              // 0: none
  std::function<bool()> isStopped; // asked when a signal comes; empty: never
};

// Runs `work` in a child process, which has this one's memory as it is, reads no input, and whose
// output goes nowhere. No other thread may be running. A child that doesn't end is killed with all
// that it started.
ForkedEnd runForked(const std::function<std::string()> &work, const ForkLimits &limits);

// The same for a command of /bin/sh.
ForkedEnd runShell(const std::string &command, const ForkLimits &limits);

} // namespace drumlin::reduce

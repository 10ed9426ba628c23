// Runs work in a fork of this process, where the work may crash or hang.
#pragma once

#include <functional>
#include <string>

namespace drumlin::reduce {

struct ForkedEnd {
  enum class Kind { Exited, Signalled, TimedOut, Stopped, NotStarted } kind = Kind::NotStarted;
  int number = 0;     // the exit status or the signal
  std::string answer; // the work's result
  std::string errors; // the first part of what the child wrote to standard error
};

struct ForkLimits {
  double seconds = 0;              // 0: no limit
  std::function<bool()> isStopped; // called when a signal arrives; empty: never
};

// Runs `work` in a child process. The child has a copy of this process's memory and empty input;
// its output is discarded. Requires that no other thread is running. A child that exceeds the time
// limit is killed, together with all processes that it started.
ForkedEnd runForked(const std::function<std::string()> &work, const ForkLimits &limits);

// Runs a command of /bin/sh in a child process, in the same way as runForked().
ForkedEnd runShell(const std::string &command, const ForkLimits &limits);

} // namespace drumlin::reduce

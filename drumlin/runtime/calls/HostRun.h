// The run of a program, as seen by the code that it calls.
#pragma once

#include "drumlin/support/HostCall.h"

#include <map>
#include <span>

namespace drumlin {

class Rendezvous;
class ThreadPool;

// User data for handlers of XLA's interface; `type` is the number of its type.
struct UserData {
  int64_t type = 0;
  void *data = nullptr;
};

struct HostRun {
  int64_t id = 0; // the run's number in this process, from 1
  // If the run is one of several processes of a program: the rendezvous of these processes, and
  // this process's number.
  Rendezvous *rendezvous = nullptr;
  int64_t process = 0;
  // The values of the program's size symbols; null if it has none.
  const SizeExpression::Values *sizes = nullptr;
  // The call with the sizes of this run, if they differ from the sizes with which the call was
  // prepared; else null.
  const HostCall *sized = nullptr;
  // The threads that the program runs on; null: only the calling thread.
  ThreadPool *pool = nullptr;
  // User data for handlers of XLA's interface, by the number of its type.
  std::map<int64_t, void *> userData = {};
  // User data for this run only; takes precedence over `userData`.
  std::span<const UserData> dataOfRun = {};
};
int64_t nextRunId();

// Code that the runtime implements: like a HostCaller, but with the run as another parameter.
using RuntimeCode = std::function<Status(const HostCall &call, HostBuffers operands,
                                         HostBuffers results, const HostRun &run)>;

} // namespace drumlin

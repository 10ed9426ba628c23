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
  int64_t id = 0; // numbers the runs of this process, from 1
  // For one of several processes of a program: their rendezvous, and this process's number.
  Rendezvous *rendezvous = nullptr;
  int64_t process = 0;
  // The values of the program's size symbols; null if it has none.
  const SizeExpression::Values *sizes = nullptr;
  // The call with the run's sizes, if these differ from the sizes that it was prepared with; else
  // null.
  const HostCall *sized = nullptr;
  // The threads that the program runs on; null: only the calling thread.
  ThreadPool *pool = nullptr;
  // User data for handlers of XLA's interface, by the number of its type.
  std::map<int64_t, void *> userData = {};
  // User data for this run only; takes precedence over `userData`.
  std::span<const UserData> dataOfRun = {};
};
int64_t nextRunId();

// Code that the runtime implements: a HostCaller that also gets the run.
using RuntimeCode = std::function<Status(const HostCall &call, HostBuffers operands,
                                         HostBuffers results, const HostRun &run)>;

} // namespace drumlin

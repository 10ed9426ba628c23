// The run of a program, as the code that it calls knows it.
#pragma once

#include "drumlin/support/HostCall.h"

#include <map>
#include <span>

namespace drumlin {

class Rendezvous;
class ThreadPool;

// Data that handlers of XLA's interface find by the number of its type.
struct UserData {
  int64_t type = 0;
  void *data = nullptr;
};

struct HostRun {
  int64_t id = 0; // of the runs of this process, from 1
  // Where it is one of several processes of a program: where they meet, and its number.
  Rendezvous *rendezvous = nullptr;
  int64_t process = 0;
  // Of the program's symbolic sizes; null where it has none.
  const SizeExpression::Values *sizes = nullptr;
  // The call at the run's sizes, where they aren't those that it was prepared with; else null.
  const HostCall *sized = nullptr;
  // The threads that the program runs on; null: the calling one alone.
  ThreadPool *pool = nullptr;
  // What handlers of XLA's interface may ask for, by the number of its type.
  std::map<int64_t, void *> userData = {};
  // The same of this run alone, which is asked first.
  std::span<const UserData> dataOfRun = {};
};
int64_t nextRunId();

// Code of the runtime's own: a HostCaller that knows the run.
using RuntimeCode = std::function<Status(const HostCall &call, HostBuffers operands,
                                         HostBuffers results, const HostRun &run)>;

} // namespace drumlin

// Data for runs of programs besides their arguments.
#pragma once

#include "drumlin/pjrt/Outcome.h"

#include <cstdint>
#include <map>

namespace drumlin::pjrt {

// User data that a framework passes to the handlers that a run calls, by the numbers of the data's
// types.
struct ExecuteContext {
  std::map<int64_t, void *> userData;
};

// Returns the number of program runs started in this process. It shows whether a framework has
// silently switched to another backend.
uint64_t executionCount();

} // namespace drumlin::pjrt

// Data for runs of programs besides their arguments.
#pragma once

#include "drumlin/pjrt/Outcome.h"

#include <cstdint>
#include <map>

namespace drumlin::pjrt {

// A framework's objects for the code that a run calls, by the numbers of their types.
struct ExecuteContext {
  std::map<int64_t, void *> userData;
};

// Returns the number of program runs started in this process. It shows whether a framework has
// silently switched to another backend.
uint64_t executionCount();

} // namespace drumlin::pjrt

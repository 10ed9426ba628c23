// What runs of programs find beside their arguments.
#pragma once

#include "drumlin/pjrt/Outcome.h"

#include <cstdint>
#include <map>

namespace drumlin::pjrt {

// Objects of the framework's for the code that a run calls, by the numbers of their types.
struct ExecuteContext {
  std::map<int64_t, void *> userData;
};

// How many runs of programs have been started in this process: frameworks may turn to another
// backend without a word.
uint64_t executionCount();

} // namespace drumlin::pjrt

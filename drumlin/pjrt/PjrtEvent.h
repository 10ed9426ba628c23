// The interface's events.
#pragma once

#include "drumlin/pjrt/Outcome.h"

namespace drumlin::pjrt {

struct Event {
  std::shared_ptr<Completion> completion;
};

} // namespace drumlin::pjrt

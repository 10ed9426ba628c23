#include "drumlin/runtime/executable/Event.h"

#include "drumlin/support/diagnostics/Images.h"

namespace drumlin {

Diagnostic waitInCallback() {
  return diagnose(errors::WaitInCallback, "an event's callback waits for a run that hasn't ended");
}

} // namespace drumlin

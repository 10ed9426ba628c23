#include "drumlin/runtime/executable/Event.h"

#include "drumlin/support/diagnostics/CallErrors.h"

namespace drumlin {

Diagnostic waitInCallback() {
  return diagnose(errors::WaitInCallback, "an event's callback waits for a run that hasn't ended");
}

} // namespace drumlin

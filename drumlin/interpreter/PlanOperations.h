// The plan's operations for the interpreter. The program can so be evaluated after every phase, and
// a wrong result traced to the phase that caused it.
#pragma once

#include "drumlin/interpreter/InterpreterTable.h"

namespace drumlin {

// Returns the handlers of StableHLO, CHLO, func and the plan.
const InterpreterTable &planOperations();

} // namespace drumlin

// The plan's operations for the interpreter. With them, a program can be evaluated after every
// phase, so that a wrong result can be traced to the phase that caused it.
#pragma once

#include "drumlin/interpreter/InterpreterTable.h"

namespace drumlin {

// Returns the handlers of StableHLO, CHLO, func and the plan.
const InterpreterTable &planOperations();

} // namespace drumlin

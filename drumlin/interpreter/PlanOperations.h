// The plan's operations for the interpreter: so that the program can be evaluated after every
// phase, and a wrong result is pinned to the phase that made it.
#pragma once

#include "drumlin/interpreter/InterpreterTable.h"

namespace drumlin {

// StableHLO, CHLO, func and the plan.
const InterpreterTable &planOperations();

} // namespace drumlin

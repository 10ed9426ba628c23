// The operations of StableHLO, CHLO and func for the interpreter.
#pragma once

#include "drumlin/interpreter/InterpreterTable.h"

namespace drumlin {

// Returns the handlers of func.call and of all supported StableHLO and CHLO operations.
const InterpreterTable &standardOperations();

} // namespace drumlin

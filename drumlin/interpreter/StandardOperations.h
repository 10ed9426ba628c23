// The operations of StableHLO, CHLO and func for the interpreter.
#pragma once

#include "drumlin/interpreter/InterpreterTable.h"

namespace drumlin {

// func.call and all operations of StableHLO and CHLO that the interpreter knows.
const InterpreterTable &standardOperations();

} // namespace drumlin

// The families of reductions. Each tries all of its changes once, the largest first.
#pragma once

#include "drumlin/driver/reduce/Search.h"

namespace drumlin::reduce {

// Reductions of the program's signature, defined in Signature.cpp. They drop results, return an
// operand instead of an operation's result, drop unused arguments, and merge arguments of the same
// type.
void dropResults(Search &search);
void retractResults(Search &search);
void dropArguments(Search &search);

// Reductions of operations, defined in ReduceOperations.cpp. They replace chunks of operations by
// arguments, and single operations by an operand, a constant or another value.
void dropOperations(Search &search);
void replaceOperations(Search &search);

// Reductions of control flow, defined in ReduceControl.cpp. They inline calls and branches, replace
// loops by their body or initial values, and drop loop-carried values and branch results.
void inlineCalls(Search &search);
void inlineControl(Search &search);
void dropCarriedValues(Search &search);

// Shrinks dimensions, together with the dimensions that must have the same size. Defined in
// Dimensions.cpp.
void shrinkDimensions(Search &search);

// Simplifications of element types, constants and attributes, defined in Simplify.cpp.
void simplifyTypes(Search &search);
void simplifyConstants(Search &search);
void simplifyAttributes(Search &search);

} // namespace drumlin::reduce

// The families of reductions. Each tries all of its changes once, the largest first.
#pragma once

#include "drumlin/driver/reduce/Search.h"

namespace drumlin::reduce {

// Defined in Signature.cpp. They drop results or replace them by their operands, drop unused
// arguments, and merge arguments of the same type.
void dropResults(Search &search);
void retractResults(Search &search);
void dropArguments(Search &search);

// Defined in ReduceOperations.cpp. They replace chunks of operations by arguments, and single
// operations by an operand, a constant or another value.
void dropOperations(Search &search);
void replaceOperations(Search &search);

// Defined in ReduceControl.cpp. They inline calls and branches, replace loops by their body or
// initial values, and drop loop-carried values and branch results.
void inlineCalls(Search &search);
void inlineControl(Search &search);
void dropCarriedValues(Search &search);

// Defined in Dimensions.cpp. Shrinks dimensions, together with the dimensions that must have the
// same size.
void shrinkDimensions(Search &search);

// Defined in Simplify.cpp. They simplify element types, constants and attributes.
void simplifyTypes(Search &search);
void simplifyConstants(Search &search);
void simplifyAttributes(Search &search);

} // namespace drumlin::reduce

// The families of reductions. Each tries all of its changes once, the largest first.
#pragma once

#include "drumlin/driver/reduce/Search.h"

namespace drumlin::reduce {

// Signature.cpp: drop results or replace them by their operands; drop unused arguments; merge
// arguments of one type.
void dropResults(Search &search);
void retractResults(Search &search);
void dropArguments(Search &search);

// Operations.cpp: replace chunks of operations by arguments; replace single operations by an
// operand, a constant or another value.
void dropOperations(Search &search);
void replaceOperations(Search &search);

// Control.cpp: inline calls and branches; replace loops by their body or initial values; drop
// loop-carried values and branch results.
void inlineCalls(Search &search);
void inlineControl(Search &search);
void dropCarriedValues(Search &search);

// Dimensions.cpp: shrink dimensions, together with those that must have the same size.
void shrinkDimensions(Search &search);

// Simplify.cpp: simplify element types, constants and attributes.
void simplifyTypes(Search &search);
void simplifyConstants(Search &search);
void simplifyAttributes(Search &search);

} // namespace drumlin::reduce

// The families of reductions. Each tries all it knows once, the largest steps first.
#pragma once

#include "drumlin/driver/reduce/Search.h"

namespace drumlin::reduce {

// Signature.cpp: results go, or give way to what they are computed from; unused arguments go; two
// of one type become one.
void dropResults(Search &search);
void retractResults(Search &search);
void dropArguments(Search &search);

// Operations.cpp: chunks of operations become arguments; single ones an operand, a constant or
// another value.
void dropOperations(Search &search);
void replaceOperations(Search &search);

// Control.cpp: calls and branches are inlined, loops become their body or the initial values; what
// loops carry and branches give is dropped.
void inlineCalls(Search &search);
void inlineControl(Search &search);
void dropCarriedValues(Search &search);

// Dimensions.cpp: dimensions of one size, as far as they have to be, shrink together.
void shrinkDimensions(Search &search);

// Simplify.cpp: element types, constants, attributes.
void simplifyTypes(Search &search);
void simplifyConstants(Search &search);
void simplifyAttributes(Search &search);

} // namespace drumlin::reduce

// Formats MLIR attributes for human readers: `[1, 0]` for arrays, `DEFAULT` for enumerators of
// StableHLO, the first elements and the range of large constants.
#pragma once

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace drumlin::listing {

std::string attributeText(mlir::Attribute attribute);

// Returns the elements of a constant; a single number if all are equal.
std::string elementsText(mlir::ElementsAttr elements);

} // namespace drumlin::listing

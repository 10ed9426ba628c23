// Attributes of MLIR as people read them: `[1, 0]` for arrays, `DEFAULT` for enumerators of
// StableHLO, the first elements and the range of large constants.
#pragma once

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <string>

namespace drumlin::listing {

std::string attributeText(mlir::Attribute attribute);

// The elements of a constant; one number where all are equal.
std::string elementsText(mlir::ElementsAttr elements);

} // namespace drumlin::listing

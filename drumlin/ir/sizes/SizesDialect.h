// The `sizes` dialect: attributes of types and entries with sizes that are known only at run time.
#pragma once

#include "drumlin/support/SizeExpression.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Dialect.h"

#include "drumlin/ir/sizes/SizesDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "drumlin/ir/sizes/SizesAttributes.h.inc"

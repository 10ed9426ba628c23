// The `stablehlo` dialect with its enums and attributes. The operations are in StablehloOps.h.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"

#include "drumlin/ir/stablehlo/StablehloDialect.h.inc"
#include "drumlin/ir/stablehlo/StablehloEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "drumlin/ir/stablehlo/StablehloValueTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "drumlin/ir/stablehlo/StablehloAttributes.h.inc"

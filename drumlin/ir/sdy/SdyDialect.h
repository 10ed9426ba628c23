// The `sdy` dialect: shardings of tensors over several devices.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "drumlin/ir/sdy/SdyDialect.h.inc"
#include "drumlin/ir/sdy/SdyEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "drumlin/ir/sdy/SdyAttributes.h.inc"

#define GET_OP_CLASSES
#include "drumlin/ir/sdy/SdyOperations.h.inc"

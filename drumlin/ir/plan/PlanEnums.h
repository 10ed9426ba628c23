// The enumerations of the plan's attributes, with their keywords (PlanOps.td).
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpDefinition.h"

#include "drumlin/ir/plan/PlanEnums.h.inc"

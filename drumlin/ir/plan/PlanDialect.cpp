#include "drumlin/ir/plan/PlanDialect.h"

#include "drumlin/ir/plan/PlanOps.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "drumlin/ir/plan/PlanDialect.cpp.inc"
#include "drumlin/ir/plan/PlanEnums.cpp.inc"

#include "drumlin/ir/plan/ScheduleInterface.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "drumlin/ir/plan/PlanAttributes.cpp.inc"

using namespace mlir;

namespace drumlin::plan {

void PlanDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/plan/PlanOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "drumlin/ir/plan/PlanAttributes.cpp.inc"
      >();
}

} // namespace drumlin::plan

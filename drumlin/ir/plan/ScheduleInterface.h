// The interface of attributes that determine how a kernel runs (ScheduleInterface.td).
#pragma once

#include "drumlin/ir/plan/PlanEnums.h"
#include "drumlin/ir/plan/SumBound.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "mlir/IR/OpDefinition.h"

#include <optional>
#include <string>

#include "drumlin/ir/plan/ScheduleInterface.h.inc"

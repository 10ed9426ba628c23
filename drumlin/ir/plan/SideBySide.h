// Launches that may run side by side, and the memory by which launches depend on each other.
#pragma once

#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/PlanEnums.h"

namespace drumlin {

// Whether the operation runs nothing: it is a bitcast or a constant.
bool runsNothing(mlir::Operation *op);

// Unit attribute of a launch that may run at the same time as the launches before it, back to the
// last one without this attribute. Operations between these launches run nothing.
inline constexpr const char *besideAttribute = "beside";

// The most launches that run side by side.
inline constexpr size_t mostBeside = 16;

// Bytes [begin, end) of one memory of a placed program.
struct MemoryPlace {
  plan::BufferKind kind = plan::BufferKind::arena;
  int64_t index = 0; // as in plan::BufferAttr
  int64_t begin = 0, end = 0;

  std::pair<plan::BufferKind, int64_t> memory() const { return {kind, index}; }
};

// Returns the place of a value. A donated argument is in the memory of the result that it is
// donated to.
MemoryPlace placeOf(mlir::Value value);
bool areDisjoint(const MemoryPlace &a, const MemoryPlace &b);

// Returns whether one launch writes memory that the other reads or writes.
bool interfere(plan::LaunchOp a, plan::LaunchOp b);

// Returns the launch and those after it that may run beside it.
llvm::SmallVector<plan::LaunchOp> launchesBeside(plan::LaunchOp first);

} // namespace drumlin

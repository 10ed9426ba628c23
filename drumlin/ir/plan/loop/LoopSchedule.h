// How a loop kernel traverses its results. The plan holds it as an attribute of the kernel, which
// code generation reads.
#pragma once

#include "drumlin/ir/indexing/LaneForm.h"
#include "drumlin/ir/plan/PlanEnums.h"
#include "drumlin/ir/plan/loop/LoopCuts.h"
#include "drumlin/ir/sizes/Size.h"
#include "drumlin/target/Lanes.h"
#include "mlir/IR/OpImplementation.h"

#include <string>
#include <vector>

namespace drumlin {

// Positions of the blocked dimension that are traversed together: a cache line of f32.
inline constexpr int64_t traverseBlock = 16;
// Positions of the last dimension that go with a block in one step.
inline constexpr int64_t traverseColumns = 1024;
// Positions of an interleaved row in one step.
inline constexpr int64_t traversePositions = 4096;
// A last dimension shorter than this wastes more than a quarter of the lanes of a traversal by
// rows.
inline constexpr int64_t shortestRow = 12;
// Of rows that are each read from one place, or that edges of operands tell apart, lanes of several
// rows would be read one by one.
inline constexpr int64_t shortestGatheredRow = 4;
// What is wider takes more registers than there are.
inline constexpr int64_t maxLanes = 8 * lanes;
// Vectors of a period.
inline constexpr int64_t maxUnrolled = 11;

// How the results of one shape are traversed.
//   flat     over row-major positions, some lanes at a time.
//   rows     outer dimensions one by one, the last one by lanes; reductions that are the same for a
//            whole row (a softmax's maximum and sum) are computed once before it, and so are
//            values that these and the results need alike (its exponentials): see keptInRows().
//   blocked  as rows, but another dimension, along which a transposed operand is contiguous, moves
//            innermost over a block of positions, so that each cache line of it is read whole while
//            it is near.
//   scan     along the dimension of a prefix scan, which keeps its running value; the last
//            dimension by lanes where that is another one.
//   single   one result at a time; lanes run along the reduced elements inside.
//   interleaved  as rows of the last two dimensions, where interleavesParts(): each part is
//   computed
//            for its own lanes alone.
struct LoopTraversal {
  plan::TraversalKind kind = plan::TraversalKind::flat;
  int64_t vectorLanes = lanes; // elements at a time: a multiple of one register's
  // Steps that one task takes: positions, rows, blocks, lines of the scan, or results.
  int64_t tile = 1;
  int64_t blockedDimension = 0; // blocked
  // Blocked: the transposed operands are read along their own last dimension, and transposed in
  // registers.
  bool inRegisters = false;
  // Flat: positions whose vectors are unrolled, a multiple of the lanes; 0: none are. Where it is
  // one of the last dimensions' sizes, too, an index in these is a constant of each lane.
  int64_t period = 0;
  std::vector<LoopCut> cuts = {}; // ascending; LoopCuts.h says where there may be some

  bool operator==(const LoopTraversal &) const = default;
};

struct LoopSchedule {
  std::vector<LoopTraversal> traversals; // of each group (groupRoots())

  bool operator==(const LoopSchedule &) const = default;
  // `[rows, lanes = 64, tile = 8], [flat, lanes = 16, tile = 16384]`
  std::string str() const;
};
llvm::hash_code hash_value(const LoopSchedule &schedule);
// Reads `<…>` around what str() writes.
mlir::FailureOr<LoopSchedule> parseLoopSchedule(mlir::AsmParser &parser);

// Whether the last dimension is long enough for a traversal by rows.
bool hasLongRows(const LoopGroup &group);

// Whether a group's traversal is by rows, so that what is the same for a whole row is computed once
// before it.
bool traversesRows(const LoopGroup &group);

// Whether lanes of a scan's traversal run along the last dimension.
bool scansByLanes(const LoopGroup &group, mlir::Operation *scan);

// Steps of a traversal, which tiles divide.
Size stepsOf(const LoopTraversal &traversal, const LoopGroup &group);

// Why a schedule doesn't fit a kernel with these groups; empty if it fits.
std::string findScheduleFault(const LoopSchedule &schedule, llvm::ArrayRef<LoopGroup> groups);

} // namespace drumlin

// How a loop kernel traverses its results. The plan stores the schedule as an attribute of the
// kernel, which code generation reads.
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

// Number of positions along the blocked dimension that are traversed together; this many f32 fill a
// cache line.
inline constexpr int64_t traverseBlock = 16;
// Number of positions of the last dimension in one step of a blocked traversal.
inline constexpr int64_t traverseColumns = 1024;
// Number of positions of an interleaved row in one step.
inline constexpr int64_t traversePositions = 4096;
// Minimum size of the last dimension for a traversal by rows. A smaller size would waste more than
// a quarter of the lanes.
inline constexpr int64_t shortestRow = 12;
// Minimum size of the last dimension for a traversal by rows if each row is gathered from one
// position, or if rows are divided by the edges of concatenated or padded operands. In these cases,
// vectors that cover several rows would be loaded lane by lane.
inline constexpr int64_t shortestGatheredRow = 4;
// Maximum number of lanes; wider traversals need more registers than there are.
inline constexpr int64_t maxLanes = 8 * lanes;
// Maximum number of vectors in a period.
inline constexpr int64_t maxUnrolled = 11;

// How the results of one shape are traversed.
//   flat     over row-major positions, several lanes at a time.
//   rows     outer dimensions one by one, with lanes along the last dimension. Reductions that are
//            the same for all elements of a row (a softmax's maximum and sum) are computed once
//            before the row. So are values that both these reductions and the results need (a
//            softmax's exponentials): see keptInRows().
//   blocked  like rows, but the innermost loop runs over a block of positions of another dimension,
//            along which a transposed operand is contiguous. So each of the operand's cache lines
//            is read completely while it is cached.
//   scan     along the dimension of a prefix scan, which keeps its running value. If this is not
//            the last dimension, lanes run along the last dimension.
//   single   one result at a time, with lanes along the elements that it reduces.
//   interleaved  requires interleavesParts(). Like rows, but lanes run over the row-major positions
//            of the last two dimensions. Each operand of the concatenation is computed only for
//            the lanes that store its elements.
struct LoopTraversal {
  plan::TraversalKind kind = plan::TraversalKind::flat;
  int64_t vectorLanes = lanes; // elements at a time: a multiple of a register's lanes
  // Number of steps per task. A step is a position, a row, a block, a line of the scan, or a
  // result, depending on the kind.
  int64_t tile = 1;
  int64_t blockedDimension = 0; // blocked
  // Blocked: whether transposed operands are read along their own last dimension and transposed in
  // registers.
  bool inRegisters = false;
  // Flat: number of consecutive positions whose code is unrolled, a multiple of the lanes; 0: no
  // unrolling. If the period is also the number of elements of some trailing dimensions, the index
  // in these dimensions is a constant for each lane of the unrolled code.
  int64_t period = 0;
  std::vector<LoopCut> cuts = {}; // ascending; LoopCuts.h defines where cuts are allowed

  bool operator==(const LoopTraversal &) const = default;
};

struct LoopSchedule {
  std::vector<LoopTraversal> traversals; // one for each group (groupRoots())

  bool operator==(const LoopSchedule &) const = default;
  // Returns a text such as `[rows, lanes = 64, tile = 8], [flat, lanes = 16, tile = 16384]`.
  std::string str() const;
};
llvm::hash_code hash_value(const LoopSchedule &schedule);
// Parses `<…>` around the text of str().
mlir::FailureOr<LoopSchedule> parseLoopSchedule(mlir::AsmParser &parser);

// Whether the last dimension is long enough for a traversal by rows.
bool hasLongRows(const LoopGroup &group);

// Whether a group is traversed by rows, so that values that are the same for all elements of a row
// are computed once before the row.
bool traversesRows(const LoopGroup &group);

// Whether the lanes of a traversal that follows `scan` run along the last dimension.
bool scansByLanes(const LoopGroup &group, mlir::Operation *scan);

// Returns the number of steps of a traversal. Tiles partition these steps.
Size stepsOf(const LoopTraversal &traversal, const LoopGroup &group);

// Returns why a schedule doesn't fit a kernel with these groups; empty if it fits.
std::string findScheduleFault(const LoopSchedule &schedule, llvm::ArrayRef<LoopGroup> groups);

} // namespace drumlin

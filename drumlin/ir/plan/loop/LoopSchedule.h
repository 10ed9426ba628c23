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

// Number of positions of the blocked dimension that are traversed together: a cache line of f32.
inline constexpr int64_t traverseBlock = 16;
// Number of positions of the last dimension in one step of a blocked traversal.
inline constexpr int64_t traverseColumns = 1024;
// Number of positions of an interleaved row in one step.
inline constexpr int64_t traversePositions = 4096;
// Minimum size of the last dimension for a traversal by rows. A smaller size would waste more than
// a quarter of the lanes.
inline constexpr int64_t shortestRow = 12;
// Minimum size of the last dimension if each row is read from one position, or if operands' edges
// divide the rows. In these cases, lanes that cover several rows would be loaded one by one.
inline constexpr int64_t shortestGatheredRow = 4;
// Maximum number of lanes; wider traversals need more registers than there are.
inline constexpr int64_t maxLanes = 8 * lanes;
// Maximum number of vectors in a period.
inline constexpr int64_t maxUnrolled = 11;

// How the results of one shape are traversed.
//   flat     over row-major positions, several lanes at a time.
//   rows     outer dimensions one by one, the last one by lanes; reductions that are the same for a
//            full row (a softmax's maximum and sum) are computed once before the row, and so are
//            values that both these reductions and the results need (its exponentials): see
//            keptInRows().
//   blocked  like rows, but another dimension, along which a transposed operand is contiguous,
//            becomes innermost over a block of positions, so that each of the operand's cache lines
//            is read completely while it is cached.
//   scan     along the dimension of a prefix scan, which keeps its running value; the last
//            dimension, if it is another one, by lanes.
//   single   one result at a time; lanes run along the reduced elements inside.
//   interleaved  like rows of the last two dimensions, if interleavesParts(): each part is computed
//            only for its own lanes.
struct LoopTraversal {
  plan::TraversalKind kind = plan::TraversalKind::flat;
  int64_t vectorLanes = lanes; // elements at a time: a multiple of a register's lanes
  // Number of steps per task: positions, rows, blocks, lines of the scan, or results.
  int64_t tile = 1;
  int64_t blockedDimension = 0; // blocked
  // Blocked: whether transposed operands are read along their own last dimension and transposed in
  // registers.
  bool inRegisters = false;
  // Flat: number of positions whose vectors are unrolled, a multiple of the lanes; 0: none. If the
  // period is also the size of some trailing dimensions, the index in these dimensions is a
  // constant for each lane.
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

// Whether a group is traversed by rows, so that values that are the same for a full row are
// computed once before the row.
bool traversesRows(const LoopGroup &group);

// Whether lanes of a scan's traversal run along the last dimension.
bool scansByLanes(const LoopGroup &group, mlir::Operation *scan);

// Returns the number of steps of a traversal. Tiles partition these steps.
Size stepsOf(const LoopTraversal &traversal, const LoopGroup &group);

// Returns why a schedule doesn't fit a kernel with these groups; empty if it fits.
std::string findScheduleFault(const LoopSchedule &schedule, llvm::ArrayRef<LoopGroup> groups);

} // namespace drumlin

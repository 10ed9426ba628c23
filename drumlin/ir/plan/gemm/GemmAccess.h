// The memory accesses of a GEMM kernel's code: how lanes along one of the problem's axes read the
// elements of an operand and store results. They are derived from the kernel's region alone.
#pragma once

#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "drumlin/target/Lanes.h"

namespace drumlin {

// The index of an operand that runs along the lanes.
enum class GemmAxis { Batch, Free, Depth };

// The instructions that read one register of an operand's elements.
struct LaneReads {
  int64_t loads = 0;     // loads of contiguous elements, or of one element for all lanes
  int64_t gathers = 0;   // loads of an arbitrary element for each lane
  int64_t divisions = 0; // divisions of indices in each lane
  // Bytes of the narrowest elements that are always read contiguously; 0: there are no such
  // elements.
  int64_t narrowestBytes = 0;

  // Returns the approximate cost in loads; a gather takes one load per lane.
  int64_t cost() const { return loads + gathers * lanesOfGather + divisions * divisionCost; }

private:
  static constexpr int64_t lanesOfGather = 16, divisionCost = 8;
};

// Returns the reads of an operand in the region of the problem's kernel, including the reads of the
// values from which it is computed.
LaneReads readsAlong(const GemmProblem &problem, GemmOperand operand, GemmAxis axis);

// Returns the number of the kernel's results that are contiguous along axis b (0), m (1) or n (2).
// Only results that are stored element by element count.
int64_t contiguousResults(const GemmProblem &problem, unsigned axis);

// Whether blocks of a tile's sums are transposed before the epilogue because more results are
// contiguous along the tile's rows than along its columns. contiguousResults() returns both counts.
bool transposesResults(const GemmSchedule &schedule, const GemmProblem &problem,
                       int64_t contiguousAlongRows, int64_t contiguousAlongColumns);

} // namespace drumlin

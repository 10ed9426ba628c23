// The memory accesses of a GEMM kernel: how code whose lanes run along one axis of the problem
// reads the elements of an operand and stores results. The functions need only the kernel's region.
#pragma once

#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "drumlin/target/Lanes.h"

namespace drumlin {

// The index of an operand that varies with the lane: b, m or n, or k.
enum class GemmAxis { Batch, Free, Depth };

// The instructions that read one register of an operand's elements.
struct LaneReads {
  int64_t loads = 0;     // loads of contiguous elements, or of one element for all lanes
  int64_t gathers = 0;   // loads of an arbitrary element for each lane
  int64_t divisions = 0; // divisions of indices in each lane
  // Size in bytes of the narrowest elements that are read contiguously and without a mask; 0 if
  // there are none.
  int64_t narrowestBytes = 0;

  // Returns the approximate cost in loads. A gather counts as one load per lane.
  int64_t cost() const { return loads + gathers * lanesOfGather + divisions * divisionCost; }

private:
  static constexpr int64_t lanesOfGather = 16, divisionCost = 8;
};

// Returns the instructions with which the problem's kernel reads one register of an operand if
// lanes run along `axis`. Includes the reads of the values from which the operand is computed.
LaneReads readsAlong(const GemmProblem &problem, GemmOperand operand, GemmAxis axis);

// Returns the number of the kernel's results that are contiguous along axis b (0), m (1) or n (2).
// Only results that are stored element by element count.
int64_t contiguousResults(const GemmProblem &problem, unsigned axis);

// Whether blocks of a tile's sums are transposed before the epilogue because more results are
// contiguous along the tile's rows than along its columns. Callers compute the two numbers of
// results with contiguousResults().
bool transposesResults(const GemmSchedule &schedule, const GemmProblem &problem,
                       int64_t contiguousAlongRows, int64_t contiguousAlongColumns);

} // namespace drumlin

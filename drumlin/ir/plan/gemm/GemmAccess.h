// How a GEMM kernel's code meets memory, from the kernel's region alone: where lanes that run along
// one of a problem's axes find the terms of an operand, and where they leave results.
#pragma once

#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "drumlin/target/Lanes.h"

namespace drumlin {

// Which index of an operand runs along the lanes.
enum class GemmAxis { Batch, Free, Depth };

// What one register of an operand's terms is read by.
struct LaneReads {
  int64_t loads = 0;     // of contiguous elements, or of one for all lanes
  int64_t gathers = 0;   // of an element for each lane, anywhere
  int64_t divisions = 0; // of indices, by each lane
  // Of the elements that are always read contiguously; 0: none are.
  int64_t narrowestBytes = 0;

  // About one for each load of a run; a gather takes a load for each lane.
  int64_t cost() const { return loads + gathers * lanesOfGather + divisions * divisionCost; }

private:
  static constexpr int64_t lanesOfGather = 16, divisionCost = 8;
};

// The problem is that of the kernel whose region the operands stand in; what they are computed from
// is read from the region's arguments.
LaneReads readsAlong(const GemmProblem &problem, GemmOperand operand, GemmAxis axis);

// How many results of the kernel, of those that are stored element by element, are contiguous along
// (0) b, (1) m or (2) n.
int64_t contiguousResults(const GemmProblem &problem, unsigned axis);

// Whether blocks of a tile's sums are transposed before the epilogue, because results are
// contiguous along the tile's rows and not along its columns: so many of them, as
// contiguousResults() has it.
bool transposesResults(const GemmSchedule &schedule, const GemmProblem &problem,
                       int64_t contiguousAlongRows, int64_t contiguousAlongColumns);

} // namespace drumlin

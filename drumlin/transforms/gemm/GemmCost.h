// The predicted time of a GEMM kernel's schedule on one core of a target. The time depends only on
// the kernel's region and the target, so that choices are the same on every machine.
#pragma once

#include "drumlin/ir/plan/gemm/GemmAccess.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "drumlin/target/MicroKernel.h"

namespace drumlin {

// Predicted time in nanoseconds.
struct GemmCost {
  double multiply = 0; // time of the micro-kernel, or of the code that replaces it
  double read = 0;     // time of evaluating and packing operands
  double store = 0;    // time of the epilogue and of storing results
  double calls = 0;    // overhead of tiles, of micro-kernel calls, and of reloading partial sums
  double memory = 0;   // time of reading operands from beyond L2
  // True if elements of operands are read from DRAM while earlier elements are multiplied; false if
  // operands are packed first.
  bool isStreamed = false;

  // The fraction of the shorter of two overlapping phases that is hidden behind the longer one.
  static constexpr double overlapShare = 0.75;

  double total() const {
    double core = multiply + read;
    double overlap = isStreamed ? overlapShare * std::min(core, memory) : 0;
    return store + calls + core + memory - overlap;
  }
  // Returns the name of the largest cost component.
  const char *boundBy() const;
};

// How a schedule's code accesses memory.
struct GemmReads {
  LaneReads rows, columns;
  bool storesRuns = false; // the lanes of a result vector are contiguous in memory
  bool transposesResults = false;
};

// Returns the micro-kernel of a packed or direct schedule whose compute unit has no tiles.
MicroKernel microKernelOf(const GemmSchedule &schedule, const GemmProblem &problem,
                          const CpuTarget &target);

GemmCost predictCost(const GemmSchedule &schedule, const GemmProblem &problem,
                     const GemmReads &reads, const CpuTarget &target);

} // namespace drumlin

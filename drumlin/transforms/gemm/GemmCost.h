// What a GEMM kernel's schedule is predicted to take on one core of a target: a function of the
// kernel's region and the target alone, so that choices by it are the same on every machine.
#pragma once

#include "drumlin/ir/plan/gemm/GemmAccess.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "drumlin/target/MicroKernel.h"

namespace drumlin {

// Nanoseconds.
struct GemmCost {
  double multiply = 0; // the micro-kernel, or what stands for it
  double read = 0;     // evaluating operands, and bringing them into the order that it reads
  double store = 0;    // results, and what follows the product
  double calls = 0;    // tiles, calls of the micro-kernel, sums that leave their registers
  double memory = 0;   // operands from beyond the second cache
  // Operands come from memory while others are multiplied; else they are packed first.
  bool isStreamed = false;

  // Of the shorter one of two that overlap, what is hidden behind the other.
  static constexpr double overlapShare = 0.75;

  double total() const {
    double core = multiply + read;
    double overlap = isStreamed ? overlapShare * std::min(core, memory) : 0;
    return store + calls + core + memory - overlap;
  }
  // The largest part, in words.
  const char *boundBy() const;
};

// How a schedule's code meets memory.
struct GemmReads {
  LaneReads rows, columns;
  bool storesRuns = false; // lanes of a result are contiguous
  bool transposesResults = false;
};

// The micro-kernel of a schedule of the packed or the direct algorithm, whose unit has no tiles.
MicroKernel microKernelOf(const GemmSchedule &schedule, const GemmProblem &problem,
                          const CpuTarget &target);

GemmCost predictCost(const GemmSchedule &schedule, const GemmProblem &problem,
                     const GemmReads &reads, const CpuTarget &target);

} // namespace drumlin

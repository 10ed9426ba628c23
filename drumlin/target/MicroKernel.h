// The GEMM micro-kernels that exist, and their speed: shared by the choice of schedules, predicted
// times, code generation and the routine library.
#pragma once

#include "drumlin/target/CpuTarget.h"

namespace drumlin {

// Returns the number of k steps per iteration of a micro-kernel's main loop. If an instruction
// multiplies by one element of a register, one load fetches a row's elements of two steps;
// otherwise each element is broadcast separately.
int64_t stepsAtOnce(const CpuTarget &target);

// Returns the most rows that a micro-kernel with `vectors` column vectors can keep sums of; 0:
// none. Its main loop holds rows × vectors registers of sums, one register per column vector and
// step of an iteration, and one for a row's elements. One register stays free: if all are used,
// LLVM may spill and move registers in each step (RoutineCodeTest.cpp checks each routine's code).
int64_t maxMicroKernelRows(const CpuTarget &target, int64_t vectors);

// How a micro-kernel reads its columns.
enum class PanelForm : uint8_t {
  Packed,     // a panel's registers are contiguous
  Prefetched, // like Packed, and prefetches panels
  InPlace,    // rows in memory order
};

struct MicroKernel {
  ComputeUnit unit{}; // fma; not a tile unit
  ElementType sums = ElementType::F32;
  int64_t width = 0; // sums per register
  PanelForm form = PanelForm::Packed;
  int64_t rows = 0, vectors = 0; // rows × vectors registers of sums

  // Returns the cycles of one k step on a core that can start two of the unit's multiply-adds and
  // two loads per cycle, counted from the code (MicroKernels.def); nullopt if no routine of the
  // library computes it.
  std::optional<double> countedCycles() const;
  // Returns countedCycles(), or an estimate if there is no routine.
  double cycles() const;
};

// Multiply-adds that start per cycle in countedCycles().
inline constexpr double countedPorts = 2;

} // namespace drumlin

// Describes the GEMM micro-kernels that exist, and their speed. The choice of schedules, the
// predicted times, code generation and the routine library use this description.
#pragma once

#include "drumlin/target/CpuTarget.h"

namespace drumlin {

// Returns the number of k steps per iteration of a micro-kernel's main loop. It is 2 if an
// instruction can multiply by one element of a register, since one load then fetches a row's
// elements for two steps. Otherwise it is 1, and each element is broadcast separately.
int64_t stepsAtOnce(const CpuTarget &target);

// Returns the largest number of rows whose sums a micro-kernel with `vectors` column vectors can
// keep in registers, or 0 if the sums of one row don't fit. The main loop holds rows × vectors
// registers of sums, one register for each column vector of each step in an iteration, and one
// register for a row's elements. One register stays free: if all registers are used, LLVM may spill
// and move registers in each step (RoutineCodeTest.cpp checks each routine's code).
int64_t maxMicroKernelRows(const CpuTarget &target, int64_t vectors);

// How a micro-kernel reads its columns.
enum class PanelForm : uint8_t {
  Packed,     // columns are read from packed panels, whose vectors are contiguous
  Prefetched, // like Packed, and the micro-kernel also prefetches panels
  InPlace,    // columns are read from an unpacked operand, in memory order
};

struct MicroKernel {
  ComputeUnit unit{}; // any unit except tile units; fma by default
  ElementType sums = ElementType::F32;
  int64_t width = 0; // sums per register
  PanelForm form = PanelForm::Packed;
  int64_t rows = 0, vectors = 0; // rows × vectors registers of sums

  // Returns the cycles of one k step, counted from the code (MicroKernels.def), on a core that can
  // start two of the unit's multiply-adds and two loads per cycle. Returns nullopt if the routine
  // library doesn't have this micro-kernel.
  std::optional<double> countedCycles() const;
  // Returns countedCycles(), or an estimate if there is no routine.
  double cycles() const;
};

// The number of multiply-adds that can start per cycle on the core that countedCycles() assumes.
inline constexpr double countedPorts = 2;

} // namespace drumlin

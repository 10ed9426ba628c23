// Which micro-kernels of products there are, and how fast each is: what the choice of schedules,
// predicted times, code generation and the library of routines all ask.
#pragma once

#include "drumlin/target/CpuTarget.h"

namespace drumlin {

// Steps of k that a micro-kernel's main loop makes at once. Where an instruction multiplies by one
// element of a register, a row's elements of two steps are one load; else each is broadcast by its
// own.
int64_t stepsAtOnce(const CpuTarget &target);

// The most rows that a micro-kernel of so many vectors keeps sums of; 0: none. Its main loop holds
// rows × vectors registers of sums, one of each vector's columns at each of the steps that it makes
// at once, and one of a row's elements. One more stays free: with all of them taken, LLVM may spill
// some and move others in each step (RoutineCodeTest.cpp reads the code of each routine).
int64_t maxMicroKernelRows(const CpuTarget &target, int64_t vectors);

// How a micro-kernel reads its columns.
enum class PanelForm : uint8_t {
  Packed,     // registers of one panel behind one another
  Prefetched, // asks for panels ahead of their use, too
  InPlace,    // rows of memory
};

struct MicroKernel {
  ComputeUnit unit = ComputeUnit::fma; // none of tiles
  ElementType sums = ElementType::F32;
  int64_t width = 0; // sums of a register
  PanelForm form = PanelForm::Packed;
  int64_t rows = 0, vectors = 0; // registers of sums

  // Cycles of one step of k on a core that begins two of the unit's multiply-adds in each, and as
  // many loads: MicroKernels.def has them, counted from the code; nothing where no routine of the
  // library does it.
  std::optional<double> countedCycles() const;
  // The same, or an estimate for those without a routine.
  double cycles() const;
};

// Multiply-adds that begin in each of those cycles.
inline constexpr double countedPorts = 2;

} // namespace drumlin

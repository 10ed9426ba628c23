// Determines which taps of a kernel meet elements (not zeros) of a dilated input, along one spatial
// dimension.
//
// An output position o = q * period + phase - shift reads position o * stride + tap *
// kernelDilation - low of the dilated input, which is an element if the input's dilation divides
// it: a condition on the phase and the tap alone. The element's index is q * step + a number that
// depends on phase and tap, so all positions of a phase form a convolution of an undilated input.
// Phases whose taps have equal or nearby indices become output features of one convolution.
#pragma once

#include "llvm/ADT/SmallVector.h"

namespace drumlin {

// One spatial dimension of a convolution with positive sizes.
struct DilatedDimension {
  int64_t input, kernel, output;
  int64_t stride = 1, dilation = 1, kernelDilation = 1;
  int64_t low = 0; // padding; if negative, that many positions are cut off
};

// The tap positions that one convolution computes for some phases.
struct PhaseGroup {
  llvm::SmallVector<int64_t> phases; // ascending
  int64_t first = 0;                 // index of the input element at tap 0 for q = 0
  int64_t dilation = 1;              // of the remaining taps
  int64_t size = 0;                  // number of remaining taps
  // Per phase: `start`, its first tap in the program's kernel (in window order); `step` between its
  // taps there; `count` of its taps; `position` of the first among the `size` positions; and
  // `apart`, the step between its taps among these positions.
  struct Taps {
    int64_t start, step, count, position, apart;
  };
  llvm::SmallVector<Taps> taps;
};

// A way to compute one dimension. Phases that are in no group have zero results.
struct PhaseSplit {
  int64_t period = 1, step = 1, shift = 0;
  int64_t blocks = 1; // number of values of q
  llvm::SmallVector<PhaseGroup> groups;

  // Whether the phases' positions are exactly the output's positions.
  bool isWhole(const DilatedDimension &dimension) const {
    return shift == 0 && blocks * period == dimension.output;
  }
};

// Returns the splits worth comparing, at least one, the best of each kind first: all phases
// together, with zeros for missing taps; and each group of phases with equal windows separately.
llvm::SmallVector<PhaseSplit, 2> phaseSplits(const DilatedDimension &dimension);

} // namespace drumlin

// Which taps of a kernel meet elements of a dilated input, along one spatial dimension.
//
// An output position o = q * period + phase - shift reads position o * stride + tap *
// kernelDilation
// - low of the dilated input, which is an element where the input's dilation divides it: a
// condition on the phase and the tap alone. The element's index is q * step + a number of phase and
// tap, so that all positions of a phase are a convolution of an input without dilation. Phases
// whose taps have equal indices, or whose indices lie close together, are output features of one
// convolution.
#pragma once

#include "llvm/ADT/SmallVector.h"

namespace drumlin {

// One spatial dimension of a convolution whose sizes are all positive.
struct DilatedDimension {
  int64_t input, kernel, output;
  int64_t stride = 1, dilation = 1, kernelDilation = 1;
  int64_t low = 0; // padding; negative: so many positions are cut off
};

// Consecutive positions of a kernel's taps that one convolution computes, for some phases.
struct PhaseGroup {
  llvm::SmallVector<int64_t> phases; // ascending
  int64_t first = 0;                 // index of the input's element that tap 0 meets for q = 0
  int64_t dilation = 1;              // of the taps that are left
  int64_t size = 0;                  // how many those are
  // For each phase, where its first tap lies in the program's kernel (in the window's order), how
  // far apart the next ones are, how many there are, at which of the `size` positions the first
  // one stands, and how many positions further the next.
  struct Taps {
    int64_t start, step, count, position, apart;
  };
  llvm::SmallVector<Taps> taps;
};

// A way to compute one dimension. Phases that no group has are zeros.
struct PhaseSplit {
  int64_t period = 1, step = 1, shift = 0;
  int64_t blocks = 1; // values of q
  llvm::SmallVector<PhaseGroup> groups;

  // Whether the phases' positions are those of the output, none left out.
  bool isWhole(const DilatedDimension &dimension) const {
    return shift == 0 && blocks * period == dimension.output;
  }
};

// The ways worth comparing: phases together, with zeros where one of them has no tap; and each
// group of phases with equal windows by itself. At least one, the best of its kind first.
llvm::SmallVector<PhaseSplit, 2> phaseSplits(const DilatedDimension &dimension);

} // namespace drumlin

// Determines, along one spatial dimension, which taps of a convolution's kernel meet elements of a
// dilated input instead of inserted zeros.
//
// Let o = q * period + phase - shift be an output position. It reads, for each tap, the position
// p = o * stride + tap * kernelDilation - low of the dilated input. An element is there if the
// input's dilation divides p. This depends only on the phase and the tap. The element's index is
// q * step + c, where c also depends only on the phase and the tap, so all output positions of one
// phase form a convolution of the undilated input. Phases whose taps have equal or nearby indices
// become output features of one convolution.
#pragma once

#include "llvm/ADT/SmallVector.h"

namespace drumlin {

// One spatial dimension of a convolution with positive sizes.
struct DilatedDimension {
  int64_t input, kernel, output;
  int64_t stride = 1, dilation = 1, kernelDilation = 1;
  int64_t low = 0; // padding; if negative, that many positions are cut off
};

// Phases that one convolution computes together, and the taps of that convolution.
struct PhaseGroup {
  llvm::SmallVector<int64_t> phases; // ascending
  int64_t first = 0;                 // index of the input element at tap 0 for q = 0
  int64_t dilation = 1;              // distance between the new convolution's taps
  int64_t size = 0;                  // number of the new convolution's taps
  // The taps of one phase. In the program's kernel, in window order: `start`, the first tap;
  // `step`, the distance between taps; `count`, the number of taps. Among the `size` taps of the
  // new convolution: `position` of the first tap; `apart`, the distance between taps.
  struct Taps {
    int64_t start, step, count, position, apart;
  };
  llvm::SmallVector<Taps> taps;
};

// A way to compute one dimension. Phases that are in no group have zero results.
struct PhaseSplit {
  int64_t period = 1, step = 1, shift = 0;
  int64_t blocks = 1; // number of blocks: values of q
  llvm::SmallVector<PhaseGroup> groups;

  // Returns whether the positions of all phases are exactly the output's positions.
  bool isWhole(const DilatedDimension &dimension) const {
    return shift == 0 && blocks * period == dimension.output;
  }
};

// Returns the splits worth comparing, at least one. There are two kinds, and the best split of each
// is returned: one convolution for all phases, with zeros for missing taps; or a convolution for
// each group of phases with equal windows.
llvm::SmallVector<PhaseSplit, 2> phaseSplits(const DilatedDimension &dimension);

} // namespace drumlin

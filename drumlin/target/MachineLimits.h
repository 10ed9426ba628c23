// What a machine can do at most: measured on the one that this process runs on, assumed for a
// target, or read from a file.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/CpuTarget.h"

#include <string>
#include <string_view>

namespace drumlin {

// Operations and bytes a second of so many threads at once. A multiply-add counts as two
// operations.
struct MachineLimits {
  unsigned threads = 1;
  double f32 = 0;  // fused multiply-adds of f32, the widest registers
  double bf16 = 0; // the bf16 dot instruction; f32's rate where there is none
  double int8 = 0; // the 8-bit dot instruction; f32's rate where there is none
  double read = 0; // bytes of main memory

  // What bounds a unit.
  double of(ComputeUnit unit) const;
};

// Loops in registers for arithmetic, a sum over memory larger than any cache for reading; the best
// of several passes each, so that other work on the machine is left out. Takes about a second, and
// 256 MiB for each thread. 0 threads: one for each processor.
MachineLimits measureLimits(unsigned threads);

// One core of a target, as its family's models assume it: the same on every machine.
MachineLimits assumedLimits(const CpuTarget &target);

// What `drumlin limits --json` writes, and its text. SyntaxInvalid at `location` where the text is
// no such object, or a rate isn't positive.
Result<MachineLimits> parseLimits(std::string_view text, const std::string &location);
std::string limitsJson(const MachineLimits &limits);

} // namespace drumlin

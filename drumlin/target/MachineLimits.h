// A machine's peak rates: measured on this machine, assumed for a target, or read from a file.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/CpuTarget.h"

#include <string>
#include <string_view>

namespace drumlin {

// Operations per second and bytes per second of `threads` threads together. A multiply-add counts
// as two operations.
struct MachineLimits {
  unsigned threads = 1;
  double f32 = 0;  // f32 fused multiply-adds in the widest registers
  double bf16 = 0; // operations of the bf16 dot instruction; without one: equal to f32
  double int8 = 0; // operations of the 8-bit dot instruction; without one: equal to f32
  double read = 0; // bytes read from main memory

  // Returns the rate that limits a compute unit.
  double of(ComputeUnit unit) const;
};

// Measures the machine's limits. Arithmetic is measured by loops in registers, and reading by a sum
// over more memory than any cache holds. Returns the best rates of several passes, so that other
// load on the machine hardly affects them. The measurement takes about a second, and 256 MiB of
// memory for each thread. If `threads` is 0, there is one thread for each processor.
MachineLimits measureLimits(unsigned threads);

// Returns the limits that the CPU models assume for one core of a target. They are the same on
// every machine.
MachineLimits assumedLimits(const CpuTarget &target);

// Parse and print limits in the form of `drumlin limits --json`. Parsing fails with SyntaxInvalid
// at `location` if the text isn't such an object, or if a rate isn't positive.
Result<MachineLimits> parseLimits(std::string_view text, const std::string &location);
std::string limitsJson(const MachineLimits &limits);

} // namespace drumlin

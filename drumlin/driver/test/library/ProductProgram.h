// Programs with one dot, for tests of the kernels that it becomes.
#pragma once

#include "../TestProgram.h"

#include "drumlin/transforms/libraries/LibraryPlan.h"

#include <map>
#include <string>
#include <vector>

namespace drumlin {

// A dot of [64, 128] by [128, 96] in a type that the texts call FP8, of %a and %b, with result %d
// in f32, and with operations before and after.
struct ProductProgram {
  const char *name;
  const char *arguments; // after %x and %w, the operands unless `front` makes %a and %b
  const char *front, *behind, *results;
  // Whether all computations are exact for small integers.
  bool isExact = true;
};

std::string textOf(const ProductProgram &program, const std::string &type);

// Returns the texts of a folder's programs (`.mlir`), by name.
std::map<std::string, std::string> programsIn(const std::string &folder);

// One program for one target, with kernels split where that allows a call.
struct PlannedProgram {
  PlannedProgram(const std::string &text, const GpuTarget &target);

  // Returns why kernels are Drumlin's own; empty if all are calls.
  std::string reasons() const;

  TestProgram program;
  std::vector<LibraryKernel> kernels;
};

} // namespace drumlin

// Programs with one dot, for tests of the kernels to which the dot is compiled.
#pragma once

#include "../TestProgram.h"

#include "drumlin/transforms/libraries/LibraryPlan.h"

#include <map>
#include <string>
#include <vector>

namespace drumlin {

// A dot of %a [64, 128] and %b [128, 96] with result %d in f32, and operations before and after the
// dot. `front` computes %a and %b from the arguments %x and %w; if it is empty, %x and %w are the
// operands. In the texts, FP8 stands for the operands' type.
struct ProductProgram {
  const char *name;
  const char *arguments; // arguments in addition to %x and %w
  const char *front, *behind, *results;
  // Whether all computations are exact for small integers.
  bool isExact = true;
};

std::string textOf(const ProductProgram &program, const std::string &type);

// Returns the texts of a folder's programs (`.mlir`), by name.
std::map<std::string, std::string> programsIn(const std::string &folder);

// A program planned for one target. Kernels are split if that makes a call possible.
struct PlannedProgram {
  PlannedProgram(const std::string &text, const GpuTarget &target);

  // Returns why kernels are Drumlin's own; empty if all are calls.
  std::string reasons() const;

  TestProgram program;
  std::vector<LibraryKernel> kernels;
};

} // namespace drumlin

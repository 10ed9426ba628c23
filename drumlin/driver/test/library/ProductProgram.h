// Programs with one product, for tests of what becomes of it.
#pragma once

#include "../TestProgram.h"

#include "drumlin/transforms/libraries/LibraryPlan.h"

#include <map>
#include <string>
#include <vector>

namespace drumlin {

// A product of [64, 128] by [128, 96] in a type that texts call FP8, %a by %b to %d in f32, with
// something in front and behind.
struct ProductProgram {
  const char *name;
  const char *arguments; // beside %x, %w: those of the product, unless `front` makes %a and %b
  const char *front, *behind, *results;
  // Whether all that is computed is exact with small integers.
  bool isExact = true;
};

std::string textOf(const ProductProgram &program, const std::string &type);

// The programs (`.mlir`) of a folder, by name, as text.
std::map<std::string, std::string> programsIn(const std::string &folder);

// One program for one target, with its kernels split where that gives a call.
struct PlannedProgram {
  PlannedProgram(const std::string &text, const GpuTarget &target);

  // Why kernels are our own; empty where all are calls.
  std::string reasons() const;

  TestProgram program;
  std::vector<LibraryKernel> kernels;
};

} // namespace drumlin

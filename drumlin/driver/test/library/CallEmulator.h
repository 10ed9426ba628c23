// Computes a planned call from its printed form alone, element by element, by the equations of
// LibraryCall.h: for tests that compare calls with the programs that they replace.
#pragma once

#include "../TestProgram.h"

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/Tensor.h"
#include "drumlin/transforms/libraries/LibraryPlan.h"

#include <map>
#include <optional>
#include <string>

namespace drumlin {

// Returns the call of a plan's first kernel, read from its JSON.
LibraryCall printedCall(const LibraryKernel &kernel, const GpuTarget &target);

// Returns the kernel's outputs that the call writes, by number, each in its own type. Block scales
// are in the program's order, row-major with the contracting dimension last; returns nullopt for
// transposed operands.
std::optional<std::map<size_t, Tensor>> emulate(const LibraryCall &call,
                                                const std::vector<Tensor> &inputs,
                                                const std::vector<Tensor> &outputs);

struct Comparing {
  double tolerance = 0;
  // Arguments are 1, 2 and their negatives, whose sums are exact.
  bool withIntegers = false;
};

// Interprets the program `text`, and runs its plan with each call as printed; expects equal results
// within the tolerance. Returns false if a call can't be emulated.
bool holdsToTheProgram(TestProgram &planned, const GpuTarget &target, const std::string &text,
                       const Comparing &how);

// Compares a single kernel in the same way, on inputs of its own.
bool holdsToItsKernel(plan::LibraryCallOp call, const LibraryKernel &kernel,
                      const GpuTarget &target, double tolerance);

} // namespace drumlin

// Computes a planned call from the printed plan alone, element by element, by the equations of
// LibraryCall.h: for tests that compare calls with the programs which they stand for.
#pragma once

#include "../TestProgram.h"

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/Tensor.h"
#include "drumlin/transforms/libraries/LibraryPlan.h"

#include <map>
#include <optional>
#include <string>

namespace drumlin {

// The call of a plan's first kernel as its JSON says it.
LibraryCall printedCall(const LibraryKernel &kernel, const GpuTarget &target);

// The kernel's outputs that the call writes, by number, each in its own type. Scales of blocks
// are taken as the program has them, row-major with the contracted dimension last; nothing for
// operands that are transposed.
std::optional<std::map<size_t, Tensor>> emulate(const LibraryCall &call,
                                                const std::vector<Tensor> &inputs,
                                                const std::vector<Tensor> &outputs);

struct Comparing {
  double tolerance = 0;
  // Arguments are 1, 2 and their negatives, of which sums are exact.
  bool withIntegers = false;
};

// Runs the program `text` in the interpreter, and its plan with each call as it prints; expects
// results within the tolerance. False where a call can't be emulated.
bool holdsToTheProgram(TestProgram &planned, const GpuTarget &target, const std::string &text,
                       const Comparing &how);

// The same for a kernel by itself, on inputs of its own.
bool holdsToItsKernel(plan::LibraryCallOp call, const LibraryKernel &kernel,
                      const GpuTarget &target, double tolerance);

} // namespace drumlin

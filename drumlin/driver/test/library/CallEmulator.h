// Computes a planned call from its printed form alone, element by element, by the equations of
// LibraryCall.h. Tests compare the results with those of the program's operations that the call
// replaces.
#pragma once

#include "../TestProgram.h"

#include "drumlin/ir/plan/LibraryCallOp.h"
#include "drumlin/support/Tensor.h"
#include "drumlin/transforms/libraries/LibraryPlan.h"

#include <map>
#include <optional>
#include <string>

namespace drumlin {

// Returns the library call of the kernel, read back from the JSON that a plan prints for it.
LibraryCall printedCall(const LibraryKernel &kernel, const GpuTarget &target);

// Returns those outputs of the kernel that the call writes, by number, each in its own type. Block
// scales must be in the program's order: row-major, with the contracting dimension last. Returns
// nullopt if an operand with block scales is transposed.
std::optional<std::map<size_t, Tensor>> emulate(const LibraryCall &call,
                                                const std::vector<Tensor> &inputs,
                                                const std::vector<Tensor> &outputs);

struct Comparing {
  double tolerance = 0;
  // Whether arguments are only 1, 2, -1 and -2, so that sums are exact.
  bool withIntegers = false;
};

// Interprets the program `text`, and runs the plan `planned`, whose calls are emulated from their
// printed form. Expects results that are equal within the tolerance. Returns false if a call can't
// be emulated.
bool holdsToTheProgram(TestProgram &planned, const GpuTarget &target, const std::string &text,
                       const Comparing &how);

// Compares a single kernel's emulated call with the interpreted kernel, on random inputs. Returns
// false if the call can't be emulated.
bool holdsToItsKernel(plan::LibraryCallOp call, const LibraryKernel &kernel,
                      const GpuTarget &target, double tolerance);

} // namespace drumlin

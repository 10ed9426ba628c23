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

// Runs the program `text` in the interpreter and its one product, which is a call in `planned`, as
// the call; expects results within the tolerance. False where the call can't be emulated.
bool holdsToTheProgram(TestProgram &planned, const LibraryKernel &kernel, const GpuTarget &target,
                       const std::string &text, double tolerance);

// The same for the kernel by itself, on inputs of its own.
bool holdsToItsKernel(plan::LibraryCallOp call, const LibraryKernel &kernel,
                      const GpuTarget &target, double tolerance);

} // namespace drumlin

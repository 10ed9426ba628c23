// What a planned call computes, by the equations of LibraryCall.h, element by element: for tests
// that hold calls to the programs which they stand for.
#pragma once

#include "../TestProgram.h"

#include "drumlin/support/Tensor.h"
#include "drumlin/target/LibraryCall.h"

#include <map>
#include <optional>
#include <string>

namespace drumlin {

// The kernel's outputs that the call writes, by number, each in its own type. Scales of blocks
// are taken as the program has them, row-major with the contracted dimension last; nothing for
// operands that are turned.
std::optional<std::map<size_t, Tensor>> emulate(const LibraryCall &call,
                                                const std::vector<Tensor> &inputs,
                                                const std::vector<Tensor> &outputs);

// Runs the program `text` in the interpreter and its one product, which is laid out in `laidOut`,
// as the call; expects results within the tolerance. False where the call can't be emulated.
bool holdsToTheProgram(TestProgram &laidOut, const LibraryCall &call, const std::string &text,
                       double tolerance);

} // namespace drumlin

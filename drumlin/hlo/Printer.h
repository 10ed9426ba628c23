// HLO text of a module: what it was read from, byte for byte; of what was changed since, as XLA
// spaces it.
#pragma once

#include "drumlin/hlo/Module.h"

#include <span>
#include <string_view>

namespace drumlin::hlo {

std::string print(const Module &module);
void print(const Computation &computation, std::string &out);
// Its instructions in braces.
void printBody(const Computation &computation, std::string &out);
// Without indentation and line break.
void print(const Instruction &instruction, std::string &out);

// Keeps the spelling of those parts of a module that print otherwise than they were read. `ends`:
// where in the text each part ends, in order: the header, the frame tables, of each computation its
// opening brace, its instructions and its attributes, and the end of the text.
void keepSpelling(Module &module, std::string_view text, std::span<const size_t> ends);

} // namespace drumlin::hlo

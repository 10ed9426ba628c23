// Prints a module as HLO text. Unchanged parts are byte for byte the text that was read; changed
// parts have XLA's spacing.
#pragma once

#include "drumlin/hlo/Module.h"

#include <span>
#include <string_view>

namespace drumlin::hlo {

std::string print(const Module &module);
void print(const Computation &computation, std::string &out);
// Prints a computation's instructions in braces.
void printBody(const Computation &computation, std::string &out);
// Prints an instruction without indentation and line break.
void print(const Instruction &instruction, std::string &out);

// Stores the original text of each part of a module that the printer would print differently.
// `ends`: the end offsets of all parts in the text, in this order: the header, the frame tables;
// for each computation its opening brace, its instructions and its attributes; the end of the text.
void keepSpelling(Module &module, std::string_view text, std::span<const size_t> ends);

} // namespace drumlin::hlo

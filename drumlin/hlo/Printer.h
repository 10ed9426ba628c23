// Prints a module as HLO text. Parts that haven't changed since they were read are printed with
// their original text, byte for byte. Changed parts are printed with XLA's spacing.
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

// For each part of a module, stores the original text if the printer's text differs from it.
// `ends`: the offsets in `text` where the parts end, in this order: the header; the frame tables;
// for each computation its opening brace, its instructions and its attributes; the end of the text.
void keepSpelling(Module &module, std::string_view text, std::span<const size_t> ends);

} // namespace drumlin::hlo

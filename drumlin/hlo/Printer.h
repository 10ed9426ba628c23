// HLO text of a module: what it was read from, byte for byte, unless the module was changed since
// or was spaced as no printer of XLA does.
#pragma once

#include "drumlin/hlo/Module.h"

namespace drumlin::hlo {

std::string print(const Module &module);
void print(const Computation &computation, std::string &out);
// Its instructions in braces.
void printBody(const Computation &computation, std::string &out);
// Without indentation and line break.
void print(const Instruction &instruction, std::string &out);

} // namespace drumlin::hlo

// HLO text to a module. The text may be dropped afterwards: the module keeps nothing of it.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/hlo/ParseOptions.h"
#include "drumlin/support/Diagnostics.h"

namespace drumlin::hlo {

// A text may be one instruction without a computation; what its operands name are parameters of the
// shapes that stand there, with names or without: `f32[8] add(f32[8] a, f32[8])`.
// Fails with the place `fileName:line:column`: SyntaxInvalid, NestingTooDeep, HloNameUnknown,
// HloNameTaken.
Result<Module> parse(std::string_view text, std::string_view fileName,
                     const ParseOptions &options = {});

// A shape alone: `f32[8,4]{1,0}`.
Result<Shape> parseShape(std::string_view text, std::string_view fileName);

// Whether a text begins as HLO does, and as no other program: with `HloModule`, with `ENTRY`, with
// a computation, or with an instruction.
bool isHloText(std::string_view text);

} // namespace drumlin::hlo

// Parses HLO text to a module. The module doesn't refer to the text afterwards.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/hlo/ParseOptions.h"
#include "drumlin/support/Diagnostics.h"

namespace drumlin::hlo {

// Parses a module. The text may also be a single instruction without a computation, such as
// `f32[8] add(f32[8] a, f32[8])`. Its operands are then parameters of the stated shapes, with or
// without names. Errors have the location `fileName:line:column` and one of the codes
// SyntaxInvalid, NestingTooDeep, HloNameUnknown and HloNameTaken.
Result<Module> parse(std::string_view text, std::string_view fileName,
                     const ParseOptions &options = {});

// Parses a text that is a single shape: `f32[8,4]{1,0}`.
Result<Shape> parseShape(std::string_view text, std::string_view fileName);

// Whether a text begins like HLO text and like no other format: with `HloModule`, `ENTRY`, a
// computation or an instruction.
bool isHloText(std::string_view text);

} // namespace drumlin::hlo

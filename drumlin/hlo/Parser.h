// HLO text to a module. The text may be dropped afterwards: the module keeps nothing of it.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/support/Diagnostics.h"

namespace drumlin::hlo {

struct ParseOptions {
  // Brackets in one another, of attributes and shapes. Programs have less than 20; readers and
  // destructors of the tree are recursive.
  unsigned maxNesting = 200;
  // Whether the module prints comments and spaces as the text has them. Who doesn't print it saves
  // the time of comparing.
  bool keepSpelling = true;
};

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

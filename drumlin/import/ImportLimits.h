// Limits on the size and the kind of programs that are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace drumlin {

// Limits on what is read. Beyond them the answer is a diagnostic with exit status 6.
struct ImportLimits {
  size_t bytes = size_t(16) << 30; // of text
  unsigned depth = 256;            // of nested brackets: each costs the parser a few stack frames
  unsigned rank = 64;              // of a tensor type
  unsigned references = 1024;      // of attributes, types and locations inside each other
  // Words of a text, or attributes and types of a bytecode, that one of them stands for: passes
  // visit what stands at several places of one several times. A tuple of as many values as there
  // may be is half of that.
  uint64_t expansion = uint64_t(1) << 20;
  // Only what has native code: tensors of static shape that aren't quantized; no tokens, tuples or
  // futures. The interpreter takes all of these.
  bool nativeTypesOnly = true;
  // It may have operations of the `plan` dialect: the text of a phase, where compilation goes on.
  bool plans = false;
  // The program is converted and not run: it may have operations of `sdy`, need have no entry, and
  // may have functions that call themselves.
  bool convertedOnly = false;
  // What stands for the values of constants that the text leaves out (ElidedFill): `zeros`, or
  // `random:SEED`; empty: nothing does, so that the program can be planned but not run.
  std::string fillElided = {};
  // Large constants are held (HeldElements.h), those of bytecode where they are in it: the program
  // is compiled, and not written in another form.
  bool holdsConstants = false;
  // The bytes of the program stay where they are as long as the context, so that bytecode isn't
  // copied.
  bool bytesStay = false;
};

} // namespace drumlin

// Limits on the size and the kind of programs that can be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace drumlin {

// Limits of programs. Exceeding one is an error with exit status 6.
struct ImportLimits {
  size_t bytes = size_t(16) << 30; // size of the program
  unsigned depth = 256;            // nesting of brackets; each needs a few stack frames to parse
  unsigned rank = 64;              // rank of tensor types
  unsigned references = 1024;      // nesting of attributes, types and locations
  // Maximum expanded size of one attribute or type, counted in words for text, and in nested
  // attributes and types for bytecode. Repeated parts count each time, since passes visit them each
  // time. A tuple with the maximum number of values takes half of this limit.
  uint64_t expansion = uint64_t(1) << 20;
  // Rejects types that compiled programs don't support, and unsupported calls of external code
  // (checkSupported). Replaces tuples with their values. If false, everything that the interpreter
  // supports is accepted.
  bool nativeTypesOnly = true;
  // Allows operations of the `plan` dialect. Compilation can resume from the text that is written
  // after a phase, and this text has such operations.
  bool plans = false;
  // The program is only converted to another format, not run. The program may then have `sdy`
  // operations and recursive functions, and needs no entry.
  bool convertedOnly = false;
  // The values of constants whose elements the text elides (ElidedFill): `zeros` or `random:SEED`.
  // If empty, these constants have no values, and the program can be planned but not run.
  std::string fillElided = {};
  // Keeps large constants outside of MLIR attributes (HeldElements.h), for bytecode in the file's
  // memory. Only for programs that are compiled, not converted to another format.
  bool holdsConstants = false;
  // The program's bytes outlive the context, so that bytecode needn't be copied.
  bool bytesStay = false;
};

} // namespace drumlin

// Limits on the size and the kind of programs that can be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace drumlin {

// Limits of programs. Exceeding one is an error with exit status 6.
struct ImportLimits {
  size_t bytes = size_t(16) << 30; // of the program
  unsigned depth = 256;            // nesting of brackets; each needs a few stack frames to parse
  unsigned rank = 64;              // of tensor types
  unsigned references = 1024;      // nesting of attributes, types and locations
  // Maximum expanded size of one attribute or type: in words for text, in nested attributes and
  // types for bytecode. Repeated parts count each time, since passes visit them each time. A tuple
  // with the maximum number of values takes half of this.
  uint64_t expansion = uint64_t(1) << 20;
  // Only types with native code: tensors of static shape that aren't quantized; no tokens, tuples
  // or futures. The interpreter supports all of these.
  bool nativeTypesOnly = true;
  // Allows operations of the `plan` dialect. The text written after a compilation phase, from which
  // compilation can resume, has them.
  bool plans = false;
  // The program is only converted to another format, not run. The program may then have `sdy`
  // operations and recursive functions, and needs no entry.
  bool convertedOnly = false;
  // The values of constants whose elements the text elides (ElidedFill): `zeros` or `random:SEED`.
  // If empty, they have no values, and the program can be planned but not run.
  std::string fillElided = {};
  // Keeps large constants outside of MLIR attributes (HeldElements.h), for bytecode in the file's
  // memory. Only for programs that are compiled, not converted to another format.
  bool holdsConstants = false;
  // The program's bytes outlive the context, so that bytecode needn't be copied.
  bool bytesStay = false;
};

} // namespace drumlin

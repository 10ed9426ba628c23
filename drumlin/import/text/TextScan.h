// What is checked about a program's text before the recursive parser sees it, and what the scan
// remembers so that a parse error can be told from an operation or type that isn't there yet.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

// A place where the text names something that isn't supported yet.
struct UnsupportedPlace {
  size_t offset; // in bytes from the start of the text
  DiagnosticCode code;
  std::string message;
};

// Boolean elements that are written as a byte each, in hexadecimal digits, as the newest MLIR does:
// `dense<"0x0100…"> : tensor<…xi1>`.
struct BooleanBytes {
  size_t offset; // of the first digit
  size_t count;  // of elements, each two digits
};

struct TextScan {
  std::vector<UnsupportedPlace> unsupported; // ascending offsets
  std::vector<BooleanBytes> booleans;        // ascending offsets
  unsigned depth = 0;    // of the brackets that are nested most, without aliases or in one
  bool hasBytes = false; // a string has an escape (`\FF`), with which it needn't be UTF-8
};

// Whether an operation (`stablehlo.add`) or a dialect's attribute (`mhlo`) is known.
struct KnownNames {
  std::function<bool(std::string_view operation)> operation;
  std::function<bool(std::string_view dialect)> dialect;
};

// Checks encoding, size, nesting and tensor sizes. `name` is the file's name in locations.
Result<TextScan> scanText(std::string_view text, std::string_view name, const KnownNames &known,
                          const ImportLimits &limits);

// Rewrites the digits to those of eight booleans in a byte, which this version of MLIR reads, and
// fills up with space behind the string: all other offsets stay.
void packBooleans(char *text, const std::vector<BooleanBytes> &booleans);

// `name:line:column` of a byte; lines and columns count from 1, columns in bytes.
std::string locationOf(std::string_view text, std::string_view name, size_t offset);

} // namespace drumlin

// What is checked about a program's text before the recursive parser sees it, and what the scan
// remembers so that a parse error can be told from an operation or type that isn't there yet.
#pragma once

#include "drumlin/import/ImportLimits.h"
#include "drumlin/support/Diagnostics.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

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

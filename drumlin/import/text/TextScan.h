// Checks a program's text before the recursive parser reads it, and records unsupported names, so
// that these can be distinguished from parse errors.
#pragma once

#include "drumlin/import/ImportLimits.h"
#include "drumlin/support/Diagnostics.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// An unsupported name in the text.
struct UnsupportedPlace {
  size_t offset; // bytes from the start of the text
  DiagnosticCode code;
  std::string message;
};

// Boolean elements with one byte each, in hexadecimal digits, as newer MLIR versions print them:
// `dense<"0x0100…"> : tensor<…xi1>`.
struct BooleanBytes {
  size_t offset; // of the first digit
  size_t count;  // number of elements; each has two digits
};

struct TextScan {
  std::vector<UnsupportedPlace> unsupported; // by ascending offset
  std::vector<BooleanBytes> booleans;        // by ascending offset
  unsigned depth = 0;    // maximum nesting of brackets, including expanded aliases
  bool hasBytes = false; // a string has an escape such as `\FF`, so may not be UTF-8
};

// Predicates for known operations (`stablehlo.add`) and known dialects of attributes (`mhlo`).
struct KnownNames {
  std::function<bool(std::string_view operation)> operation;
  std::function<bool(std::string_view dialect)> dialect;
};

// Checks encoding, size, nesting and tensor sizes. `name` is the file's name in locations.
Result<TextScan> scanText(std::string_view text, std::string_view name, const KnownNames &known,
                          const ImportLimits &limits);

// Packs each string's booleans, one per byte, into bytes with eight booleans, the form that this
// MLIR version reads. Adds spaces after the shorter string, so that the offsets of all other text
// stay the same.
void packBooleans(char *text, const std::vector<BooleanBytes> &booleans);

// Returns `name:line:column` of a byte. Lines and columns start at 1; columns count bytes.
std::string locationOf(std::string_view text, std::string_view name, size_t offset);

} // namespace drumlin

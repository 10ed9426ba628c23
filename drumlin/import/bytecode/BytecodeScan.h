// Checks MLIR bytecode before MLIR's reader reads it, since the reader trusts counts, recurses
// through attributes and builds types without checks.
// Source of the format: https://mlir.llvm.org/docs/BytecodeFormat.
#pragma once

#include "drumlin/import/text/TextScan.h"

namespace drumlin {

bool isBytecode(std::string_view bytes);

// Properties of a bytecode file.
struct BytecodeHeader {
  uint64_t version = 0;   // version of MLIR's bytecode format
  std::string producer;   // such as `StableHLO_v1.17.0` for portable artifacts
  uint64_t alignment = 1; // bytes; maximum alignment that a section requires
  bool hasBytes = false;  // whether a string isn't UTF-8
  uint64_t depth = 0;     // maximum nesting of operations, attributes and types
};

// Checks that sections are within the file, that counts match the remaining bytes, that types and
// elements of the `builtin` dialect are consistent, and that nesting is limited. Errors have the
// file's name as their location and state the byte offset in their message. Their codes are
// BytecodeInvalid, InputTooLarge, NestingTooDeep, TensorTooLarge, and the codes of scanText for
// attributes and types in text form.
Result<BytecodeHeader> scanBytecode(std::string_view bytes, std::string_view name,
                                    const KnownNames &known, const ImportLimits &limits);

} // namespace drumlin

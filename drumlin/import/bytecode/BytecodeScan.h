// What is checked about MLIR bytecode before MLIR's reader sees it, which trusts counts, recurses
// through attributes and builds types without checks.
// Source of the format: https://mlir.llvm.org/docs/BytecodeFormat.
#pragma once

#include "drumlin/import/text/TextScan.h"

namespace drumlin {

bool isBytecode(std::string_view bytes);

// What a file says about itself.
struct BytecodeHeader {
  uint64_t version = 0;   // of MLIR's format
  std::string producer;   // `StableHLO_v1.17.0` for portable artifacts
  uint64_t alignment = 1; // in bytes, that a section wants of the buffer
  bool hasBytes = false;  // a string isn't UTF-8
  uint64_t depth = 0;     // of operations, attributes or types, whichever are nested most
};

// Checks that sections lie in the file, that counts agree with the bytes that are there, that types
// and elements of MLIR's own dialect fit together, and how deep operations, attributes and types
// nest. Locations are the file's name; messages name the byte. Errors: BytecodeInvalid,
// InputTooLarge, NestingTooDeep, TensorTooLarge, and those of scanText for parts that are text.
Result<BytecodeHeader> scanBytecode(std::string_view bytes, std::string_view name,
                                    const KnownNames &known, const ImportLimits &limits);

} // namespace drumlin

// Checks the attributes and types of a bytecode file one by one. Part of scanBytecode.
#pragma once

#include "drumlin/import/bytecode/ByteCursor.h"
#include "drumlin/import/text/TextScan.h"

namespace drumlin {

struct BytecodeEntryCounts {
  uint64_t attributes = 0;
  uint64_t types = 0;
  uint64_t depth = 0; // maximum nesting, including brackets in text forms
};

// The sections with attributes and types, and the tables to which they refer.
struct BytecodeEntries {
  std::string_view file, name;
  ByteCursor offsets, data;
  const std::vector<std::string_view> &dialects;
  uint64_t strings;
  const KnownNames &known;
  const ImportLimits &limits;
};

Result<BytecodeEntryCounts> scanBytecodeEntries(const BytecodeEntries &entries);

} // namespace drumlin

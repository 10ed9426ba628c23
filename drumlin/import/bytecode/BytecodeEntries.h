// The attributes and types of a bytecode file, checked one by one. Part of scanBytecode.
#pragma once

#include "drumlin/import/bytecode/ByteCursor.h"
#include "drumlin/import/text/TextScan.h"

namespace drumlin {

struct BytecodeEntryCounts {
  uint64_t attributes = 0;
  uint64_t types = 0;
  uint64_t depth = 0; // of those that are nested most, or of brackets in the text of one
};

// Where they lie, and what they refer to.
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

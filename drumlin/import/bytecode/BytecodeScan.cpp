#include "drumlin/import/bytecode/BytecodeScan.h"

#include "drumlin/import/bytecode/ByteCursor.h"
#include "drumlin/import/bytecode/BytecodeEntries.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include "llvm/Support/JSON.h"

#include <algorithm>
#include <array>
#include <optional>

namespace drumlin {

bool isBytecode(std::string_view bytes) { return bytes.substr(0, 4) == "ML\xefR"; }

namespace {
enum Section : uint8_t {
  strings = 0,
  dialects = 1,
  entries = 2,
  entryOffsets = 3,
  operations = 4,
  resources = 5,
  resourceOffsets = 6,
  dialectVersions = 7,
  properties = 8,
  sectionCount = 9,
};

enum OperationMask : uint8_t {
  hasAttributes = 1,
  hasResults = 2,
  hasOperands = 4,
  hasSuccessors = 8,
  hasRegions = 16,
  hasUseListOrders = 32,
  hasProperties = 64,
};

// The newest supported version of the format, and the versions that introduced features.
constexpr uint64_t newestFormat = 6;
constexpr uint64_t lazyRegions = 2, useListOrders = 3, optionalArgumentLocations = 4,
                   nativeProperties = 5;

class FileScan {
public:
  FileScan(std::string_view bytes, std::string_view name, const KnownNames &known,
           const ImportLimits &limits)
      : bytes(bytes), name(name), known(known), limits(limits) {}

  Result<BytecodeHeader> run();

private:
  Diagnostic fail(DiagnosticCode code, std::string message) const {
    return diagnose(code, std::move(message), std::string(name));
  }
  Diagnostic malformed(const ByteCursor &cursor, std::string_view what) const {
    return fail(errors::BytecodeInvalid, "malformed bytecode at byte " +
                                             std::to_string(cursor.offset()) + ": " +
                                             std::string(what));
  }
  // Reads the next section's id and content. Skips the padding that precedes aligned content.
  bool readSection(ByteCursor &cursor, uint8_t &id, ByteCursor &content);
  Status scanStrings();
  Status scanDialects();
  Status scanProperties();
  Status scanResources();
  Status scanOperations(ByteCursor &cursor, unsigned depth);
  bool scanBlock(ByteCursor &cursor, unsigned depth, Status &status);
  bool scanOperation(ByteCursor &cursor, unsigned depth, Status &status);
  bool scanRegion(ByteCursor &cursor, unsigned depth, Status &status);
  void skipUseListOrders(ByteCursor &cursor, uint64_t values) const;
  uint64_t attribute(ByteCursor &cursor) const { return reference(cursor, entryCounts.attributes); }
  uint64_t type(ByteCursor &cursor) const { return reference(cursor, entryCounts.types); }
  static uint64_t reference(ByteCursor &cursor, uint64_t count) {
    uint64_t index = cursor.number();
    if (index >= count) {
      cursor.fail();
    }
    return index;
  }

  std::string_view bytes, name;
  const KnownNames &known;
  const ImportLimits &limits;
  BytecodeHeader header;
  std::array<std::optional<ByteCursor>, sectionCount> sections;
  std::vector<std::string_view> stringTable;
  std::vector<std::string_view> dialectNames;
  uint64_t operationNames = 0, propertyCount = 0;
  BytecodeEntryCounts entryCounts;
};
} // namespace

//===-- sections ------------------------------------------------------------------------------===//

bool FileScan::readSection(ByteCursor &cursor, uint8_t &id, ByteCursor &content) {
  uint8_t idAndAlignment = cursor.byte();
  id = idAndAlignment & 0x7f;
  uint64_t length = cursor.number();
  if (idAndAlignment & 0x80) {
    uint64_t alignment = cursor.number();
    // No producer aligns to more than a page. MLIR's reader requires a buffer with this alignment.
    if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > 4096) {
      return false;
    }
    header.alignment = std::max(header.alignment, alignment);
    while (!cursor.failed() && cursor.offset() % alignment != 0) {
      if (cursor.byte() != 0xcb) {
        return false;
      }
    }
  }
  content = cursor.part(length);
  return !cursor.failed() && id < sectionCount;
}

Status FileScan::scanStrings() {
  ByteCursor &cursor = *sections[strings];
  uint64_t count = cursor.count();
  // The lengths are in the reverse order of the strings. Each length includes the terminating zero.
  std::vector<uint64_t> lengths(count);
  for (uint64_t &length : lengths) {
    length = cursor.number();
  }
  for (auto length = lengths.rbegin(); length != lengths.rend() && !cursor.failed(); ++length) {
    std::string_view text = cursor.bytes(*length);
    if (text.empty() || text.back() != '\0') {
      cursor.fail();
      break;
    }
    stringTable.push_back(text.substr(0, text.size() - 1));
    header.hasBytes = header.hasBytes || !llvm::json::isUTF8(stringTable.back());
  }
  if (cursor.failed() || !cursor.atEnd()) {
    return malformed(cursor, "expected the strings that the table counts");
  }
  return Done{};
}

Status FileScan::scanDialects() {
  ByteCursor &cursor = *sections[dialects];
  uint64_t count = cursor.count();
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t index = cursor.number();
    if (header.version >= 1) {
      bool hasVersion = index & 1;
      index >>= 1;
      if (hasVersion) {
        uint8_t id = 0;
        ByteCursor content;
        if (!readSection(cursor, id, content) || id != dialectVersions) {
          cursor.fail();
        }
      }
    }
    if (cursor.failed() || index >= stringTable.size()) {
      return malformed(cursor, "expected the name of a dialect");
    }
    dialectNames.push_back(stringTable[index]);
  }
  uint64_t total = header.version >= optionalArgumentLocations ? cursor.count() : 0;
  while (!cursor.failed() && !cursor.atEnd()) {
    if (cursor.number() >= dialectNames.size()) {
      cursor.fail();
    }
    uint64_t names = cursor.count();
    for (uint64_t i = 0; i < names; ++i) {
      uint64_t index = cursor.number();
      index = header.version >= nativeProperties ? index >> 1 : index;
      if (index >= stringTable.size()) {
        cursor.fail();
      }
    }
    operationNames += names;
  }
  bool isCounted = header.version < optionalArgumentLocations || total == operationNames;
  if (cursor.failed() || !isCounted) {
    return malformed(cursor, "expected the names of operations");
  }
  return Done{};
}

Status FileScan::scanProperties() {
  if (!sections[properties]) {
    return Done{};
  }
  ByteCursor &cursor = *sections[properties];
  propertyCount = cursor.count();
  for (uint64_t i = 0; i < propertyCount; ++i) {
    cursor.bytes(cursor.number());
  }
  if (cursor.failed() || !cursor.atEnd()) {
    return malformed(cursor, "expected the properties that the table counts");
  }
  return Done{};
}

//===-- operations ----------------------------------------------------------------------------===//

void FileScan::skipUseListOrders(ByteCursor &cursor, uint64_t values) const {
  uint64_t given = values > 1 ? cursor.count() : 1;
  for (uint64_t i = 0; i < given && !cursor.failed(); ++i) {
    if (values > 1 && cursor.number() >= values) {
      cursor.fail();
    }
    uint64_t indices = cursor.number() >> 1;
    if (indices > cursor.left()) {
      cursor.fail();
    }
    for (uint64_t j = 0; j < indices && !cursor.failed(); ++j) {
      cursor.number();
    }
  }
}

bool FileScan::scanRegion(ByteCursor &cursor, unsigned depth, Status &status) {
  uint64_t blocks = cursor.count();
  if (blocks == 0) {
    return !cursor.failed();
  }
  // Reads the number of values. Each value has a type, which takes at least one byte.
  cursor.count();
  for (uint64_t i = 0; i < blocks && !cursor.failed(); ++i) {
    if (!scanBlock(cursor, depth, status)) {
      return false;
    }
  }
  return !cursor.failed();
}

bool FileScan::scanBlock(ByteCursor &cursor, unsigned depth, Status &status) {
  uint64_t countAndFlag = cursor.number();
  if (countAndFlag >> 1 > cursor.left()) {
    return false;
  }
  if (countAndFlag & 1) {
    uint64_t arguments = cursor.count();
    for (uint64_t i = 0; i < arguments && !cursor.failed(); ++i) {
      uint64_t typeAndFlag = cursor.number();
      bool hasLocation = true;
      if (header.version >= optionalArgumentLocations) {
        hasLocation = typeAndFlag & 1;
        typeAndFlag >>= 1;
      }
      if (typeAndFlag >= entryCounts.types) {
        return false;
      }
      if (hasLocation) {
        attribute(cursor);
      }
    }
    if (header.version >= useListOrders && cursor.byte() != 0) {
      skipUseListOrders(cursor, arguments);
    }
  }
  for (uint64_t i = 0; i < countAndFlag >> 1; ++i) {
    if (!scanOperation(cursor, depth, status)) {
      return false;
    }
  }
  return !cursor.failed();
}

bool FileScan::scanOperation(ByteCursor &cursor, unsigned depth, Status &status) {
  reference(cursor, operationNames);
  uint8_t mask = cursor.byte();
  attribute(cursor);
  if (mask & hasAttributes) {
    attribute(cursor);
  }
  if (mask & hasProperties) {
    reference(cursor, header.version >= nativeProperties ? propertyCount : 0);
  }
  uint64_t results = mask & hasResults ? cursor.count() : 0;
  for (uint64_t i = 0; i < results && !cursor.failed(); ++i) {
    type(cursor);
  }
  uint64_t operands = mask & hasOperands ? cursor.count() : 0;
  for (uint64_t i = 0; i < operands && !cursor.failed(); ++i) {
    cursor.number();
  }
  uint64_t successors = mask & hasSuccessors ? cursor.count() : 0;
  for (uint64_t i = 0; i < successors && !cursor.failed(); ++i) {
    cursor.number();
  }
  if (mask & hasUseListOrders) {
    skipUseListOrders(cursor, results);
  }
  if (!(mask & hasRegions) || cursor.failed()) {
    return !cursor.failed();
  }
  if (depth == 0) {
    status = fail(errors::NestingTooDeep,
                  "regions are nested deeper than " + std::to_string(limits.depth));
    return false;
  }
  header.depth = std::max<uint64_t>(header.depth, limits.depth - depth + 1);
  uint64_t regionsAndFlag = cursor.number();
  uint64_t regions = regionsAndFlag >> 1;
  bool isIsolated = header.version >= lazyRegions && (regionsAndFlag & 1);
  if (regions > cursor.left()) {
    return false;
  }
  // All isolated regions of an operation are in a separate section.
  ByteCursor content;
  uint8_t id = 0;
  if (isIsolated && (!readSection(cursor, id, content) || id != operations)) {
    return false;
  }
  ByteCursor &inner = isIsolated ? content : cursor;
  for (uint64_t i = 0; i < regions; ++i) {
    if (!scanRegion(inner, depth - 1, status)) {
      return false;
    }
  }
  return !isIsolated || inner.atEnd();
}

Status FileScan::scanOperations(ByteCursor &cursor, unsigned depth) {
  Status status = Done{};
  if (!scanBlock(cursor, depth, status) || !cursor.atEnd()) {
    return status ? malformed(cursor, "expected operations") : status;
  }
  return Done{};
}

//===-- the file ------------------------------------------------------------------------------===//

Result<BytecodeHeader> FileScan::run() {
  if (bytes.size() > limits.bytes) {
    return fail(errors::InputTooLarge, "the file has " + std::to_string(bytes.size()) +
                                           " bytes, more than " + std::to_string(limits.bytes));
  }
  ByteCursor cursor(bytes, 4, bytes.size());
  header.version = cursor.number();
  if (header.version > newestFormat) {
    return fail(errors::UnsupportedFormat, "version " + std::to_string(header.version) +
                                               " of MLIR's bytecode is newer than version " +
                                               std::to_string(newestFormat));
  }
  while (uint8_t character = cursor.byte()) {
    header.producer.push_back(static_cast<char>(character));
  }
  while (!cursor.failed() && !cursor.atEnd()) {
    uint8_t id = 0;
    ByteCursor content;
    if (!readSection(cursor, id, content) || sections[id]) {
      return malformed(cursor, "expected a section");
    }
    sections[id] = content;
  }
  for (uint8_t id : {strings, dialects, entries, entryOffsets, operations}) {
    if (cursor.failed() || !sections[id]) {
      return malformed(cursor, "a section is missing");
    }
  }
  for (auto scan : {&FileScan::scanStrings, &FileScan::scanDialects, &FileScan::scanProperties,
                    &FileScan::scanResources}) {
    if (Status status = (this->*scan)(); !status) {
      return status.error();
    }
  }
  BytecodeEntries entryScan{
      bytes, name,  *sections[entryOffsets], *sections[entries], dialectNames, stringTable.size(),
      known, limits};
  Result<BytecodeEntryCounts> counts = scanBytecodeEntries(entryScan);
  if (!counts) {
    return counts.error();
  }
  entryCounts = *counts;
  header.depth = entryCounts.depth;
  if (Status status = scanOperations(*sections[operations], limits.depth); !status) {
    return status.error();
  }
  return header;
}

// Checks the resources, if there are any: a count of external groups, these groups, then one group
// per dialect that has resources. MLIR's reader doesn't check the kind of a resource.
Status FileScan::scanResources() {
  if (!sections[resourceOffsets]) {
    return Done{};
  }
  constexpr uint8_t kinds = 3; // blobs, booleans, strings
  ByteCursor &cursor = *sections[resourceOffsets];
  cursor.count(); // the number of external groups
  while (!cursor.failed() && !cursor.atEnd()) {
    cursor.number(); // the group's owner
    for (uint64_t left = cursor.count(); left > 0 && !cursor.failed(); --left) {
      cursor.number(); // the key
      cursor.number(); // the size
      if (cursor.byte() >= kinds) {
        cursor.fail();
      }
    }
  }
  return cursor.failed() ? Status(malformed(cursor, "expected a resource")) : Done{};
}

Result<BytecodeHeader> scanBytecode(std::string_view bytes, std::string_view name,
                                    const KnownNames &known, const ImportLimits &limits) {
  return FileScan(bytes, name, known, limits).run();
}

} // namespace drumlin

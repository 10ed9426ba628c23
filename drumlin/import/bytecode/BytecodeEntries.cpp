#include "drumlin/import/bytecode/BytecodeEntries.h"

#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <optional>

namespace drumlin {

namespace {
struct Encoding {
  std::string_view dialect;
  uint64_t code;
  std::string_view fields;
};

// An attribute or a type in the file.
struct Entry {
  std::string_view dialect;
  size_t begin = 0, size = 0;
  bool isText = false;
  uint64_t code = 0;
  std::vector<size_t> references; // indices of entries
  uint64_t depth = 0;             // 0 until computed
  uint64_t expanded = 0;          // number of entries that a traversal without deduplication visits
  // The bits that an element takes in memory if this is one of MLIR's number types; else 0.
  uint64_t elementBits = 0;
  // For tensors, the number of elements; nullopt if a dimension is unknown.
  std::optional<int64_t> elements;
  size_t blobSize = 0;
};

class EntryScan {
public:
  explicit EntryScan(const BytecodeEntries &in) : in(in) {}
  Result<BytecodeEntryCounts> run();

private:
  Diagnostic malformed(const ByteCursor &cursor, std::string_view what) const {
    return diagnose(errors::BytecodeInvalid,
                    "malformed bytecode at byte " + std::to_string(cursor.offset()) + ": " +
                        std::string(what),
                    std::string(in.name));
  }
  Status readOffsets();
  Status scanEntry(size_t index);
  Status scanText(Entry &entry);
  Status scanFields(ByteCursor &cursor, std::string_view fields, Entry &entry);
  Status scanField(ByteCursor &cursor, char field, Entry &entry);
  Status scanSizes(ByteCursor &cursor, Entry &entry);
  Status checkNumber(ByteCursor cursor, uint64_t bits) const;
  Status checkOwn(const Entry &entry, size_t index) const;
  Status checkQuantized(const Entry &entry) const;
  Status computeDepths();
  void refer(ByteCursor &cursor, Entry &entry, uint64_t index, bool isType) const;
  bool isType(size_t index) const { return index >= counts.attributes; }

  const BytecodeEntries &in;
  BytecodeEntryCounts counts;
  std::vector<Entry> entries; // attributes, then types
};
} // namespace

// The highest codes of the `builtin` dialect that MLIR's reader knows.
static constexpr uint64_t newestOwnAttribute = 22, newestOwnType = 20;

// Returns the fields of an entry's encoding; nullopt for codes that aren't listed.
static std::optional<std::string_view> fieldsOf(const Entry &entry, bool isType) {
  static constexpr Encoding attributes[] = {
#define BYTECODE_ATTRIBUTE(dialect, code, fields) {dialect, code, fields},
#include "drumlin/import/bytecode/BytecodeEncodings.def"
  };
  static constexpr Encoding types[] = {
#define BYTECODE_TYPE(dialect, code, fields) {dialect, code, fields},
#include "drumlin/import/bytecode/BytecodeEncodings.def"
  };
  auto find = [&](const auto &table) -> std::optional<std::string_view> {
    for (const Encoding &encoding : table) {
      if (encoding.code == entry.code && encoding.dialect == entry.dialect) {
        return encoding.fields;
      }
    }
    return std::nullopt;
  };
  return isType ? find(types) : find(attributes);
}

//===-- fields --------------------------------------------------------------------------------===//

void EntryScan::refer(ByteCursor &cursor, Entry &entry, uint64_t index, bool isType) const {
  if (index >= (isType ? counts.types : counts.attributes)) {
    cursor.fail();
    return;
  }
  entry.references.push_back(isType ? counts.attributes + index : index);
}

// Reads the sizes of a tensor and checks its size in bytes. Sizes of 0 count as 1, since the
// strides of an empty tensor are products of its other sizes.
Status EntryScan::scanSizes(ByteCursor &cursor, Entry &entry) {
  constexpr int64_t unknown = std::numeric_limits<int64_t>::min();
  constexpr int64_t largestElementBytes = 16;
  uint64_t rank = cursor.count();
  if (rank > in.limits.rank) {
    return diagnose(errors::TensorTooLarge,
                    "a tensor has more than " + std::to_string(in.limits.rank) + " dimensions",
                    std::string(in.name));
  }
  int64_t bytes = largestElementBytes;
  entry.elements = 1;
  for (uint64_t i = 0; i < rank && !cursor.failed(); ++i) {
    int64_t size = cursor.signedNumber();
    if (size == unknown) {
      entry.elements.reset();
      continue;
    }
    if (size < 0) {
      return malformed(cursor, "expected a size of at least 0, got " + std::to_string(size));
    }
    if (llvm::MulOverflow(bytes, std::max<int64_t>(size, 1), bytes)) {
      return diagnose(errors::TensorTooLarge, "the bytes of a tensor don't fit in 64 bits",
                      std::string(in.name));
    }
    if (entry.elements) {
      entry.elements = *entry.elements * size;
    }
  }
  return Done{};
}

Status EntryScan::scanField(ByteCursor &cursor, char field, Entry &entry) {
  switch (field) {
  case 'A':
    refer(cursor, entry, cursor.number(), /*isType=*/false);
    break;
  case 'T':
    refer(cursor, entry, cursor.number(), /*isType=*/true);
    break;
  case 'O':
    if (uint64_t index = cursor.number(); index & 1) {
      refer(cursor, entry, index >> 1, /*isType=*/false);
    }
    break;
  case 'P':
    if (cursor.number() != 0) {
      refer(cursor, entry, cursor.number(), /*isType=*/false);
    }
    break;
  case 'Q':
    if (cursor.byte() != 0) {
      refer(cursor, entry, cursor.number(), /*isType=*/false);
    }
    break;
  case 'S':
    if (cursor.number() >= in.strings) {
      cursor.fail();
    }
    break;
  case 'b':
    entry.blobSize = cursor.number();
    cursor.bytes(entry.blobSize);
    break;
  case 'd':
    return scanSizes(cursor, entry);
  default: // v and s
    cursor.number();
  }
  return Done{};
}

Status EntryScan::scanFields(ByteCursor &cursor, std::string_view fields, Entry &entry) {
  for (size_t i = 0; i < fields.size() && !cursor.failed(); ++i) {
    if (fields[i] == '.') {
      return Done{};
    }
    uint64_t repeat = 1;
    if (fields[i] == '*') {
      repeat = cursor.count();
      ++i;
    }
    std::string_view group = fields.substr(i, 1);
    if (fields[i] == '(') {
      size_t end = fields.find(')', i);
      group = fields.substr(i + 1, end - i - 1);
      i = end;
    }
    for (; repeat != 0 && !cursor.failed(); --repeat) {
      for (char field : group) {
        if (Status status = scanField(cursor, field, entry); !status) {
          return status;
        }
      }
    }
  }
  return cursor.failed() || !cursor.atEnd()
             ? Status(malformed(cursor, "expected an attribute or type"))
             : Status(Done{});
}

//===-- MLIR's own types and elements ---------------------------------------------------------===//

// Returns the size in bits of an element of a builtin type in dense attributes; 0 for types that
// aren't number types.
static uint64_t bitsOfBuiltinType(uint64_t code, uint64_t integerWidth) {
  switch (code) {
  case 0:
    return integerWidth;
  case 1:
    return 64;
  case 3:
  case 4:
    return 16;
  case 5:
    return 32;
  case 6:
    return 64;
  default:
    return 0;
  }
}

// Checks that the remainder of the entry is a number of `bits` bits. Depending on `bits`, the
// number is encoded as a byte, as a variable-length number, or as a count of words followed by
// these words. MLIR's reader doesn't check that the number is present.
Status EntryScan::checkNumber(ByteCursor cursor, uint64_t bits) const {
  constexpr uint64_t word = 64;
  if (bits == 0) {
    return malformed(cursor, "expected a number type");
  }
  if (bits <= 8) {
    cursor.byte();
  } else if (bits <= word) {
    cursor.number();
  } else {
    uint64_t words = cursor.count();
    for (uint64_t i = 0; i < words && words <= llvm::divideCeil(bits, word); ++i) {
      cursor.number();
    }
  }
  return cursor.failed() || !cursor.atEnd() ? Status(malformed(cursor, "expected a number"))
                                            : Status(Done{});
}

// Checks a quantized type, since MLIR's reader doesn't check it. MLIR's printer expects an integer
// storage type and the same number of zero points and scales. The verifier checks ranges and
// scales.
Status EntryScan::checkQuantized(const Entry &entry) const {
  ByteCursor cursor(in.file, entry.begin, entry.begin + entry.size);
  uint64_t code = cursor.number();
  constexpr uint64_t perAxis = 5, subChannel = 6, maxStorageBits = 32, denseElements = 18;
  const Entry &storage = entries[entry.references[0]], &expressed = entries[entry.references[1]];
  bool isStored = storage.dialect == "builtin" && !storage.isText && storage.code == 0 &&
                  storage.elementBits <= maxStorageBits;
  bool isExpressed = expressed.dialect == "builtin" && expressed.elementBits != 0 &&
                     (expressed.isText || (expressed.code >= 3 && expressed.code <= 6));
  bool isEven = true;
  auto skip = [&](uint64_t count) {
    for (; count != 0 && !cursor.failed(); --count) {
      cursor.number();
    }
  };
  if (code == perAxis) {
    skip(6); // flags, two types, dimension, minimum, maximum
    uint64_t scales = cursor.count();
    skip(scales);
    isEven = cursor.count() == scales;
  } else if (code == subChannel) {
    skip(5);
    uint64_t dimensions = cursor.count();
    skip(dimensions);
    const Entry &scales = entries[entry.references[2]], &zeros = entries[entry.references[3]];
    auto elementsOf = [&](const Entry &each) -> const Entry * {
      bool isDense = each.dialect == "builtin" && !each.isText && each.code == denseElements;
      return isDense ? &entries[each.references[0]] : nullptr;
    };
    const Entry *scaleType = elementsOf(scales), *zeroType = elementsOf(zeros);
    isEven = cursor.count() == dimensions && scaleType && zeroType && scaleType->elements &&
             scaleType->elements == zeroType->elements &&
             entries[scaleType->references.back()].code != 0 &&
             entries[zeroType->references.back()].code == 0;
  }
  return isStored && isExpressed && isEven && !cursor.failed()
             ? Status(Done{})
             : Status(malformed(cursor, "expected a quantized type"));
}

// Checks the conditions that MLIR's constructors assume without checks. Requires that all entries
// to which `entry` refers are scanned.
Status EntryScan::checkOwn(const Entry &entry, size_t index) const {
  if (entry.dialect == "quant" && !entry.isText && isType(index)) {
    return checkQuantized(entry);
  }
  if (entry.dialect != "builtin" || entry.isText) {
    return Done{};
  }
  ByteCursor cursor(in.file, entry.begin, entry.begin + entry.size);
  uint64_t code = cursor.number();
  auto at = [&](size_t reference) -> const Entry & { return entries[entry.references[reference]]; };
  auto isElement = [&](const Entry &type) {
    bool isNumber = type.dialect != "builtin" || type.isText || type.code <= 1 ||
                    (type.code >= 3 && type.code <= 6) || type.code == 9;
    return isNumber;
  };
  if (isType(index)) {
    if (code == 0) {
      uint64_t widthAndSign = cursor.number();
      constexpr uint64_t widest = 128;
      return widthAndSign >> 2 > widest || (widthAndSign & 3) > 2 || widthAndSign >> 2 == 0
                 ? Status(malformed(cursor, "expected an integer type of 1 to 128 bits"))
                 : Status(Done{});
    }
    bool isComplex = code == 9, isShaped = code == 10 || code == 13 || code == 14 || code == 18;
    if (isComplex || isShaped) {
      // The element type is the only type to which complex and shaped types refer.
      auto element = std::find_if(entry.references.begin(), entry.references.end(),
                                  [&](size_t reference) { return isType(reference); });
      if (element == entry.references.end() || !isElement(entries[*element])) {
        return malformed(cursor, "expected an element type");
      }
    }
    return Done{};
  }
  constexpr uint64_t integer = 8, floatingPoint = 9;
  constexpr uint64_t fileLineColumns = 22, denseArray = 17, denseElements = 18;
  if (code == integer || code == floatingPoint) {
    cursor.number();
    return checkNumber(cursor, at(0).elementBits);
  }
  if (code == fileLineColumns) {
    cursor.number();
    return cursor.count() > 4 ? Status(malformed(cursor, "expected a range in a file"))
                              : Status(Done{});
  }
  if (code == denseArray) {
    cursor.number();
    uint64_t size = cursor.number();
    uint64_t bits = at(0).elementBits == 1 ? 8 : at(0).elementBits;
    bool isWhole =
        bits != 0 && bits % 8 == 0 && size <= entry.blobSize && size * (bits / 8) == entry.blobSize;
    // Bytes of booleans must be 0 or 1.
    cursor.number();
    for (uint64_t i = 0; isWhole && at(0).elementBits == 1 && i < size; ++i) {
      isWhole = cursor.byte() <= 1;
    }
    return isWhole ? Status(Done{})
                   : Status(malformed(cursor, "expected the elements of an array"));
  }
  if (code == denseElements) {
    const Entry &type = at(0);
    uint64_t bits = 0;
    for (size_t reference : type.references) {
      bits = isType(reference) ? entries[reference].elementBits : bits;
    }
    if (type.dialect != "builtin" || type.isText || !type.elements || bits == 0) {
      return malformed(cursor, "expected a tensor of static shape");
    }
    uint64_t count = *type.elements;
    uint64_t whole = bits == 1 ? llvm::divideCeil(count, 8) : count * (llvm::divideCeil(bits, 8));
    uint64_t one = bits == 1 ? 1 : llvm::divideCeil(bits, 8);
    bool isSplat = entry.blobSize == one;
    return entry.blobSize == whole || isSplat
               ? Status(Done{})
               : Status(malformed(cursor, "expected the elements of a tensor"));
  }
  return Done{};
}

//===-- entries -------------------------------------------------------------------------------===//

Status EntryScan::readOffsets() {
  ByteCursor offsets = in.offsets;
  ByteCursor data = in.data;
  counts.attributes = offsets.count();
  counts.types = offsets.number();
  if (counts.types > offsets.left()) {
    offsets.fail();
  }
  uint64_t total = offsets.failed() ? 0 : counts.attributes + counts.types;
  while (entries.size() < total && !offsets.failed()) {
    uint64_t dialect = offsets.number();
    uint64_t count = offsets.count();
    if (dialect >= in.dialects.size() || count > total - entries.size()) {
      offsets.fail();
      break;
    }
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t sizeAndFlag = offsets.number();
      Entry entry;
      entry.dialect = in.dialects[dialect];
      entry.begin = data.offset();
      entry.size = sizeAndFlag >> 1;
      entry.isText = !(sizeAndFlag & 1);
      data.bytes(entry.size);
      entries.push_back(std::move(entry));
    }
  }
  if (offsets.failed() || data.failed() || !offsets.atEnd() || !data.atEnd()) {
    return malformed(offsets, "expected attributes and types");
  }
  return Done{};
}

// Scans an entry in text form, which ends in a zero byte; MLIR's text parser reads it later.
Status EntryScan::scanText(Entry &entry) {
  std::string_view text = in.file.substr(entry.begin, entry.size);
  if (text.empty() || text.back() != '\0') {
    return malformed(ByteCursor(in.file, entry.begin, entry.begin), "expected a text");
  }
  text.remove_suffix(1);
  // Floating-point types of 4 to 8 bits have no code, only text; their elements take a byte.
  for (std::string_view prefix : {"f4", "f6", "f8"}) {
    entry.elementBits = text.substr(0, 2) == prefix ? 8 : entry.elementBits;
  }
  entry.elementBits = text == "f80" ? 80 : text == "tf32" ? 19 : entry.elementBits;
  Result<TextScan> scan = drumlin::scanText(text, in.name, in.known, in.limits);
  if (!scan) {
    return scan.error();
  }
  counts.depth = std::max<uint64_t>(counts.depth, scan->depth);
  return Done{};
}

Status EntryScan::scanEntry(size_t index) {
  Entry &entry = entries[index];
  if (entry.isText) {
    return scanText(entry);
  }
  ByteCursor cursor(in.file, entry.begin, entry.begin + entry.size);
  entry.code = cursor.number();
  std::optional<std::string_view> fields = fieldsOf(entry, isType(index));
  if (!fields) {
    // The readers of other dialects check the codes of their own attributes and types.
    if (entry.dialect != "builtin" && entry.dialect != "quant") {
      return Done{};
    }
    std::string what = "attribute or type " + std::to_string(entry.code) + " of dialect `" +
                       std::string(entry.dialect) + "` isn't known";
    bool isNewer = entry.code > (isType(index) ? newestOwnType : newestOwnAttribute);
    return isNewer
               ? Status(diagnose(errors::UnsupportedFormat,
                                 what + ": the bytecode is from a newer MLIR", std::string(in.name),
                                 "write a portable artifact, which every release reads"))
               : Status(malformed(cursor, what));
  }
  if (entry.dialect == "builtin" && isType(index)) {
    ByteCursor width = cursor;
    entry.elementBits = bitsOfBuiltinType(entry.code, entry.code == 0 ? width.number() >> 2 : 0);
  }
  return scanFields(cursor, *fields, entry);
}

// Computes the nesting of all entries, depth first without recursion. An entry contains itself if
// it is reached again before its traversal has finished.
Status EntryScan::computeDepths() {
  const uint64_t largestTraversal = in.limits.expansion;
  enum class State : uint8_t { New, Open, Finished };
  std::vector<State> states(entries.size(), State::New);
  std::vector<std::pair<size_t, size_t>> stack; // an entry and the index of its next reference
  for (size_t root = 0; root < entries.size(); ++root) {
    if (states[root] == State::New) {
      stack.emplace_back(root, 0);
      states[root] = State::Open;
    }
    while (!stack.empty()) {
      auto &[index, next] = stack.back();
      Entry &entry = entries[index];
      if (next < entry.references.size()) {
        size_t reference = entry.references[next++];
        if (states[reference] == State::Open) {
          return diagnose(errors::BytecodeInvalid,
                          "an attribute or type of the bytecode contains itself",
                          std::string(in.name));
        }
        if (states[reference] == State::New) {
          states[reference] = State::Open;
          stack.emplace_back(reference, 0);
        }
        continue;
      }
      entry.depth = 1;
      entry.expanded = 1;
      for (size_t reference : entry.references) {
        entry.depth = std::max(entry.depth, entries[reference].depth + 1);
        entry.expanded =
            std::min(entry.expanded + entries[reference].expanded, largestTraversal + 1);
      }
      if (entry.depth > in.limits.references || entry.expanded > largestTraversal) {
        return diagnose(errors::NestingTooDeep,
                        "attributes or types are nested deeper than " +
                            std::to_string(in.limits.references) +
                            ", or repeat each other too often",
                        std::string(in.name));
      }
      counts.depth = std::max(counts.depth, entry.depth);
      states[index] = State::Finished;
      stack.pop_back();
    }
  }
  return Done{};
}

Result<BytecodeEntryCounts> EntryScan::run() {
  if (Status status = readOffsets(); !status) {
    return status.error();
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    if (Status status = scanEntry(i); !status) {
      return status.error();
    }
  }
  if (Status status = computeDepths(); !status) {
    return status.error();
  }
  // A complex element takes twice the bits of its real part. Complex types aren't nested.
  for (Entry &entry : entries) {
    if (entry.dialect == "builtin" && !entry.isText && entry.code == 9 &&
        isType(&entry - entries.data())) {
      entry.elementBits = 2 * entries[entry.references.front()].elementBits;
    }
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    if (Status status = checkOwn(entries[i], i); !status) {
      return status.error();
    }
  }
  return counts;
}

Result<BytecodeEntryCounts> scanBytecodeEntries(const BytecodeEntries &entries) {
  return EntryScan(entries).run();
}

} // namespace drumlin

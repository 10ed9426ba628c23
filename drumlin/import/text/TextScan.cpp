#include "drumlin/import/text/TextScan.h"

#include "drumlin/import/text/AliasSizes.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>

namespace drumlin {

std::string locationOf(std::string_view text, std::string_view name, size_t offset) {
  std::string_view before = text.substr(0, offset);
  size_t line = 1 + std::count(before.begin(), before.end(), '\n');
  size_t lineStart = before.rfind('\n');
  size_t column = offset - (lineStart == std::string_view::npos ? 0 : lineStart + 1) + 1;
  return std::string(name) + ":" + std::to_string(line) + ":" + std::to_string(column);
}

static bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isWordPart(char c) { return isLetter(c) || isDigit(c) || c == '.' || c == '$'; }
static bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

namespace {
// Scans the text once, token by token. Skips strings and comments like the parser's lexer.
class Scanner {
public:
  Scanner(std::string_view text, std::string_view name, const KnownNames &known,
          const ImportLimits &limits)
      : text(text), name(name), known(known), limits(limits), aliases(limits) {}

  Result<TextScan> run();

private:
  Diagnostic fail(DiagnosticCode code, std::string message, size_t offset) const {
    return diagnose(code, std::move(message), locationOf(text, name, offset));
  }
  void note(DiagnosticCode code, std::string message, size_t offset) {
    scan.unsupported.push_back({offset, code, std::move(message)});
  }
  char at(size_t offset) const { return offset < text.size() ? text[offset] : '\0'; }
  size_t skipSpace(size_t offset) const {
    while (offset < text.size() && isSpace(text[offset])) {
      ++offset;
    }
    return offset;
  }
  size_t wordEnd(size_t offset) const {
    while (offset < text.size() && isWordPart(text[offset])) {
      ++offset;
    }
    return offset;
  }
  size_t skipBlank(size_t offset) const;
  size_t skipString(size_t offset);
  size_t sigilEnd(size_t offset) const;
  bool continues() const;
  void noteWord(size_t begin, size_t end);
  void noteString(size_t begin, size_t end);
  void noteSigil(size_t begin);
  void noteBooleans(size_t begin, size_t end);
  Status checkTensor(size_t begin);

  std::string_view text;
  std::string_view name;
  const KnownNames &known;
  const ImportLimits &limits;
  TextScan scan;
  AliasSizes aliases;
  unsigned depth = 0;          // number of open brackets
  bool isBehindArrow = false;  // the last token is `->`
  char lastSignificant = '\0'; // last character before the current token, except for white space
  bool inResources = false;    // after `{-#`, where keys may look like operations
};
} // namespace

// Returns the offset after space and comments.
size_t Scanner::skipBlank(size_t offset) const {
  offset = skipSpace(offset);
  while (at(offset) == '/' && at(offset + 1) == '/') {
    offset = skipSpace(std::min(text.find('\n', offset), text.size()));
  }
  return offset;
}

// Returns the offset after the name of an alias, a type or an attribute, by the rules of MLIR's
// lexer.
size_t Scanner::sigilEnd(size_t offset) const {
  size_t end = offset + 1;
  while (isWordPart(at(end)) || at(end) == '-') {
    ++end;
  }
  return end;
}

// Whether the next token belongs to the same attribute or type as the last one.
bool Scanner::continues() const {
  return isBehindArrow || lastSignificant == '=' || lastSignificant == ':' ||
         lastSignificant == '-';
}

// Returns the offset after the string whose opening quote is at `offset`. Strings don't span lines.
size_t Scanner::skipString(size_t offset) {
  ++offset;
  while (offset < text.size()) {
    // A fast search, since some files are mostly weights as hexadecimal text.
    std::string_view rest = text.substr(offset);
    rest = rest.substr(0, rest.find('"'));
    rest = rest.substr(0, rest.find('\\'));
    rest = rest.substr(0, rest.find('\n'));
    offset += rest.size();
    if (at(offset) == '"') {
      return offset + 1;
    }
    if (at(offset) != '\\') {
      return offset;
    }
    scan.hasBytes = true;
    offset += 2;
  }
  return text.size();
}

// Records a word with a dot as an unsupported operation if it is unknown and isn't the name of an
// attribute, as in `name = value` or as a single word in a dictionary.
void Scanner::noteWord(size_t begin, size_t end) {
  std::string_view word = text.substr(begin, end - begin);
  if (word.find('.') == std::string_view::npos || inResources || lastSignificant == '<') {
    return;
  }
  char next = at(skipSpace(end));
  bool isAttribute = next == '=' || ((lastSignificant == '{' || lastSignificant == ',') &&
                                     (next == ',' || next == '}'));
  if (!isAttribute && !known.operation(word)) {
    note(errors::UnsupportedOperation, "operation `" + std::string(word) + "` isn't supported",
         begin);
  }
}

// Records an unknown operation in its generic form `"dialect.operation"(…)` as unsupported.
void Scanner::noteString(size_t begin, size_t end) {
  std::string_view inside = text.substr(begin + 1, end - begin >= 2 ? end - begin - 2 : 0);
  if (inResources || at(skipSpace(end)) != '(' || inside.find('.') == std::string_view::npos ||
      !std::all_of(inside.begin(), inside.end(), isWordPart)) {
    return;
  }
  if (!known.operation(inside)) {
    note(errors::UnsupportedOperation, "operation `" + std::string(inside) + "` isn't supported",
         begin);
  }
}

// Handles `!dialect.type`, `#dialect.attribute` and aliases, which have no dot.
void Scanner::noteSigil(size_t begin) {
  size_t end = sigilEnd(begin);
  std::string_view word = text.substr(begin + 1, end - begin - 1);
  size_t dot = word.find('.');
  bool isBracketed = at(end) == '<';
  if (dot == std::string_view::npos && !word.empty()) {
    bool defines = depth == 0 && at(skipBlank(end)) == '=';
    aliases.addName(text.substr(begin, end - begin), begin, depth, continues(), defines);
  } else {
    aliases.addToken(depth, continues());
  }
  if (word.empty() || (dot == std::string_view::npos && !isBracketed)) {
    return;
  }
  if (at(begin) == '!') {
    if (!limits.nativeTypesOnly) {
      return;
    }
    note(errors::UnsupportedType, "type `!" + std::string(word) + "` isn't supported", begin);
  } else if (!known.dialect(word.substr(0, dot))) {
    note(errors::UnsupportedAttribute, "attribute `#" + std::string(word) + "` isn't supported",
         begin);
  }
}

// Records the string of `<"0x0100"> : tensor<2xi1>` if it has two digits per element. Strings with
// eight elements per byte are left unchanged.
void Scanner::noteBooleans(size_t begin, size_t end) {
  size_t offset = skipSpace(end);
  if (lastSignificant != '<' || text.substr(begin, 3) != "\"0x" || end < begin + 6 ||
      at(offset) != '>' || at(offset = skipSpace(offset + 1)) != ':') {
    return;
  }
  offset = skipSpace(offset + 1);
  size_t type = wordEnd(offset);
  if (text.substr(offset, type - offset) != "tensor" || at(type) != '<') {
    return;
  }
  size_t digits = end - begin - 4;
  int64_t count = 1;
  for (offset = type + 1; isDigit(at(offset));) {
    int64_t size = 0;
    for (; isDigit(at(offset)) && size <= static_cast<int64_t>(text.size()); ++offset) {
      size = size * 10 + (at(offset) - '0');
    }
    if (at(offset) != 'x' || llvm::MulOverflow(count, size, count)) {
      return;
    }
    ++offset;
  }
  if (text.substr(offset, 2) == "i1" && !isWordPart(at(offset + 2)) && count > 1 &&
      digits == 2 * static_cast<size_t>(count)) {
    scan.booleans.push_back({begin + 3, static_cast<size_t>(count)});
  }
}

void packBooleans(char *text, const std::vector<BooleanBytes> &booleans) {
  for (const BooleanBytes &place : booleans) {
    char *digits = text + place.offset, *target = digits;
    for (size_t i = 0; i < place.count; i += 8) {
      unsigned byte = 0;
      for (size_t j = i; j < std::min(i + 8, place.count); ++j) {
        bool isSet = digits[2 * j] != '0' || digits[2 * j + 1] != '0';
        byte |= unsigned(isSet) << (j - i);
      }
      // The output never overtakes the input, as it has an eighth of its size, rounded up.
      *target++ = "0123456789ABCDEF"[byte >> 4];
      *target++ = "0123456789ABCDEF"[byte & 15];
    }
    char *end = digits + 2 * place.count; // the closing quote
    *target++ = '"';
    std::fill(target, end + 1, ' ');
  }
}

// Checks the dimensions of a tensor type such as `tensor<2x?x3xf32, encoding>`. `begin`: the offset
// of its `<`. Assumes the largest element type, so that the size in bytes never overflows.
Status Scanner::checkTensor(size_t begin) {
  constexpr int64_t largestElementBytes = 16;
  int64_t bytes = largestElementBytes;
  unsigned rank = 0;
  size_t offset = skipSpace(begin + 1);
  while (isDigit(at(offset)) || at(offset) == '?') {
    size_t dimension = offset;
    if (at(offset) == '?') {
      ++offset;
    } else {
      int64_t size = 0;
      for (; isDigit(at(offset)); ++offset) {
        if (llvm::MulOverflow(size, int64_t(10), size) ||
            llvm::AddOverflow(size, int64_t(at(offset) - '0'), size)) {
          return fail(errors::TensorTooLarge, "a dimension doesn't fit in 64 bits", dimension);
        }
      }
      // A size of 0 makes the tensor empty, but strides are products of the other sizes.
      if (llvm::MulOverflow(bytes, std::max<int64_t>(size, 1), bytes)) {
        return fail(errors::TensorTooLarge, "the bytes of a tensor don't fit in 64 bits", begin);
      }
    }
    offset = skipSpace(offset);
    if (at(offset) != 'x') {
      break;
    }
    if (++rank > limits.rank) {
      return fail(errors::TensorTooLarge,
                  "a tensor has more than " + std::to_string(limits.rank) + " dimensions", begin);
    }
    offset = skipSpace(offset + 1);
  }
  return Done{};
}

Result<TextScan> Scanner::run() {
  size_t offset = 0;
  while (offset < text.size()) {
    char c = text[offset];
    if (isSpace(c)) {
      ++offset;
      continue;
    }
    size_t begin = offset;
    bool isArrow = false;
    if (c == '"') {
      aliases.addToken(depth, continues());
      offset = skipString(offset);
      noteString(begin, offset);
      noteBooleans(begin, offset);
    } else if (c == '/' && at(offset + 1) == '/') {
      offset = std::min(text.find('\n', offset), text.size());
      continue;
    } else if (c == '-' && at(offset + 1) == '>') {
      offset += 2;
      isArrow = true;
    } else if (isLetter(c)) {
      offset = wordEnd(offset);
      std::string_view word = text.substr(begin, offset - begin);
      aliases.addToken(depth, continues());
      if (word == "loc") {
        aliases.addLocation(depth);
      }
      size_t next = skipSpace(offset);
      if (at(next) == '<' && word == "tensor") {
        if (Status status = checkTensor(next); !status) {
          return status.error();
        }
      } else if (at(next) == '<' && (word == "affine_map" || word == "affine_set")) {
        // Affine maps and sets are rejected, since the parser recurses through their expressions
        // even without brackets, and StableHLO doesn't use them.
        return fail(errors::UnsupportedAttribute,
                    "attribute `" + std::string(word) + "` isn't supported", begin);
      }
      noteWord(begin, offset);
    } else if (isDigit(c) || c == '%' || c == '@' || c == '^') {
      // Numbers (`0x1F`, `1.0e5`, and `3xf32` in types) and names of values, functions and blocks.
      aliases.addToken(depth, continues());
      offset = at(offset + 1) == '"' ? skipString(offset + 1) : wordEnd(offset + 1);
    } else if (c == '!' || c == '#') {
      noteSigil(offset);
      offset = sigilEnd(offset);
    } else {
      if (c == '{' && text.substr(offset, 3) == "{-#") {
        inResources = true;
      }
      if (c == '(' || c == '[' || c == '{' || c == '<') {
        if (++depth > limits.depth) {
          return fail(errors::NestingTooDeep,
                      "brackets are nested deeper than " + std::to_string(limits.depth), offset);
        }
        scan.depth = std::max(scan.depth, depth);
        aliases.addBracket(depth);
      } else if ((c == ')' || c == ']' || c == '}' || c == '>') && depth > 0) {
        --depth;
      }
      ++offset;
    }
    lastSignificant = text[offset - 1];
    isBehindArrow = isArrow;
  }
  if (std::optional<AliasSizes::Fault> fault = aliases.check(text.size())) {
    return diagnose(fault->code, fault->message, locationOf(text, name, fault->offset),
                    "use fewer aliases inside of aliases");
  }
  scan.depth = std::max(scan.depth, static_cast<unsigned>(aliases.depth()));
  return std::move(scan);
}

// Returns the offset of the first invalid UTF-8, or the text's size. Skips eight bytes of ASCII at
// once, since some files are mostly weights as digits.
static size_t firstInvalid(std::string_view text) {
  constexpr uint64_t highBits = 0x8080808080808080;
  auto bytes = reinterpret_cast<const llvm::UTF8 *>(text.data());
  size_t offset = 0;
  while (offset < text.size()) {
    uint64_t eight = highBits;
    if (text.size() - offset >= sizeof(eight)) {
      std::memcpy(&eight, bytes + offset, sizeof(eight));
    }
    if ((eight & highBits) == 0) {
      offset += sizeof(eight);
      continue;
    }
    size_t size = llvm::getNumBytesForUTF8(bytes[offset]);
    if (size > text.size() - offset ||
        !llvm::isLegalUTF8Sequence(bytes + offset, bytes + offset + size)) {
      return offset;
    }
    offset += size;
  }
  return offset;
}

Result<TextScan> scanText(std::string_view text, std::string_view name, const KnownNames &known,
                          const ImportLimits &limits) {
  if (text.size() > limits.bytes) {
    return diagnose(errors::InputTooLarge,
                    "the text has " + std::to_string(text.size()) + " bytes, more than " +
                        std::to_string(limits.bytes),
                    std::string(name));
  }
  if (text.substr(0, 4) == "ML\xefR") {
    return diagnose(errors::UnsupportedFormat, "MLIR bytecode isn't supported", std::string(name));
  }
  if (size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return diagnose(errors::InputNotText, "the text has a NUL byte", locationOf(text, name, nul));
  }
  if (size_t invalid = firstInvalid(text); invalid < text.size()) {
    return diagnose(errors::InputNotText, "the text isn't valid UTF-8",
                    locationOf(text, name, invalid));
  }
  return Scanner(text, name, known, limits).run();
}

} // namespace drumlin

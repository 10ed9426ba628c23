#include "drumlin/hlo/Lexer.h"

#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace drumlin::hlo {

namespace {
enum class InWord : uint8_t {
  Yes,
  No,
  Maybe, // part of a word unless it begins a `->` or a comment
};
} // namespace

static constexpr std::array<InWord, 256> inWord = [] {
  std::array<InWord, 256> table{};
  for (int c = 0; c <= ' '; ++c) {
    table[c] = InWord::No;
  }
  for (char c : std::string_view("{}()[]<>=,:\"'%\x7f")) {
    table[static_cast<unsigned char>(c)] = InWord::No;
  }
  table['-'] = table['/'] = InWord::Maybe;
  return table;
}();

static InWord inWordOf(char c) { return inWord[static_cast<unsigned char>(c)]; }

static void add(Gap &gap, char c) {
  if (c == '\n') {
    gap.lines += gap.lines < UINT8_MAX;
    gap.spaces = 0;
  } else {
    gap.spaces += gap.spaces < UINT16_MAX;
  }
}

Space Lexer::skipSpace() {
  Space space;
  for (;;) {
    char c = peek();
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      add(space.comment.empty() ? space.gap : space.afterComment, c);
      ++at;
    } else if (c == '/' && peek(1) == '/') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '/' && peek(1) == '*') {
      size_t end = text.find("*/", at + 2);
      if (end == std::string_view::npos) {
        return space;
      }
      space.comment = text.substr(at + 2, end - at - 2);
      at = end + 2;
    } else {
      return space;
    }
  }
}

bool Lexer::take(std::string_view token) {
  size_t before = at;
  skipSpace();
  if (startsWith(token)) {
    at += token.size();
    return true;
  }
  at = before;
  return false;
}

bool Lexer::expect(std::string_view token, std::string_view where) {
  if (take(token)) {
    return true;
  }
  skipSpace();
  return fail("expected `" + std::string(token) + "` " + std::string(where) + ", not " + seen());
}

// Returns the end of the word or number that begins at `at`.
static size_t atomEnd(std::string_view text, size_t at) {
  for (; at < text.size(); ++at) {
    InWord is = inWordOf(text[at]);
    if (is == InWord::Yes) {
      continue;
    }
    char second = at + 1 < text.size() ? text[at + 1] : ' ';
    if (is == InWord::No || second == (text[at] == '-' ? '>' : '*')) {
      break;
    }
  }
  return at;
}

std::string_view Lexer::takeAtom() {
  size_t begin = at;
  at = atomEnd(text, at);
  return text.substr(begin, at - begin);
}

bool Lexer::takeString(std::string_view &spelling) {
  size_t begin = at;
  char quote = text[at++];
  for (; at < text.size(); ++at) {
    if (text[at] == quote) {
      spelling = text.substr(begin + 1, at - begin - 1);
      ++at;
      return true;
    }
    at += text[at] == '\\' && at + 1 < text.size();
  }
  return fail(errors::SyntaxInvalid, "a string that is not closed", begin);
}

std::string_view Lexer::takeBraces() {
  size_t depth = 0;
  for (size_t end = at; end < text.size(); ++end) {
    char c = text[end];
    if (c == '"') {
      for (++end; end < text.size() && text[end] != '"'; ++end) {
        end += text[end] == '\\';
      }
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && depth > 0) {
      --depth;
    }
    if (depth == 0) {
      std::string_view braces = c == '}' ? text.substr(at, end + 1 - at) : std::string_view();
      at += braces.size();
      return braces;
    }
  }
  return {};
}

bool Lexer::takeInteger(int64_t &value) {
  auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (error != std::errc()) {
    return fail("expected a 64-bit integer, not " + seen());
  }
  at = end - text.data();
  return true;
}

size_t Lexer::countCommas() const {
  size_t count = 0;
  for (char c : text.substr(at)) {
    if (c == ',') {
      ++count;
    } else if (inWordOf(c) == InWord::No && c > ' ') {
      break;
    }
  }
  return count;
}

bool Lexer::fail(std::string message) {
  return fail(errors::SyntaxInvalid, std::move(message), at);
}

bool Lexer::fail(DiagnosticCode code, std::string message, size_t offset) {
  if (!failure) {
    std::string_view before = text.substr(0, offset);
    size_t line = std::count(before.begin(), before.end(), '\n') + 1;
    size_t lineStart = before.rfind('\n') + 1; // 0 if the error is in the first line
    failure = diagnose(code, std::move(message),
                       std::string(fileName) + ":" + std::to_string(line) + ":" +
                           std::to_string(offset - lineStart + 1));
  }
  return false;
}

std::string Lexer::seen() const {
  if (atEnd()) {
    return "the end of the text";
  }
  unsigned char c = text[at];
  if (c < ' ' || c >= 0x7f) {
    return c == '\n' ? "the end of the line" : "byte " + std::to_string(c);
  }
  return "`" + std::string(1, text[at]) + "`";
}

bool isName(std::string_view text) {
  return !text.empty() && !text.starts_with("//") && atomEnd(text, 0) == text.size();
}

std::string nameInText(std::string_view name, std::string_view otherwise) {
  std::string made(name.empty() ? otherwise : name);
  if (isName(made)) {
    return made;
  }
  for (char &c : made) {
    bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80);
    bool isKept = isLetter || (c >= '0' && c <= '9') || c == '.' || c == '-';
    c = isKept ? c : '_';
  }
  return made;
}

bool isNumber(std::string_view atom) {
  size_t at = 0;
  auto digits = [&] {
    size_t begin = at;
    while (at < atom.size() && atom[at] >= '0' && atom[at] <= '9') {
      ++at;
    }
    return at > begin;
  };
  at += !atom.empty() && (atom[0] == '-' || atom[0] == '+');
  bool whole = digits();
  bool fraction = false;
  if (at < atom.size() && atom[at] == '.') {
    ++at;
    fraction = digits();
  }
  if (!whole && !fraction) {
    return false;
  }
  if (at < atom.size() && (atom[at] == 'e' || atom[at] == 'E')) {
    ++at;
    at += at < atom.size() && (atom[at] == '-' || atom[at] == '+');
    if (!digits()) {
      return false;
    }
  }
  return at == atom.size();
}

} // namespace drumlin::hlo

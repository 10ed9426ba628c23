// The lexer of HLO text. It remembers the first error.
#pragma once

#include "drumlin/hlo/Value.h"
#include "drumlin/support/Diagnostics.h"

namespace drumlin::hlo {

// The white space and comment between two tokens.
struct Space {
  Gap gap;                  // before the comment, if there is one
  std::string_view comment; // the last comment, without `/*` and `*/`
  Gap afterComment;
};

class Lexer {
public:
  Lexer(std::string_view text, std::string_view fileName) : text(text), fileName(fileName) {}

  // Returns the character at the current position plus `ahead`, or 0 at the end.
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : 0; }
  bool atEnd() const { return at == text.size(); }
  bool startsWith(std::string_view token) const { return text.substr(at).starts_with(token); }
  // Whether the keyword `word`, such as `ROOT`, is here, followed by white space or a `%`.
  bool atKeyword(std::string_view word) const {
    char after = startsWith(word) ? peek(word.size()) : 0;
    return after == ' ' || after == '%' || (after >= '\t' && after <= '\r');
  }
  void advance(size_t count = 1) { at += count; }
  size_t offset() const { return at; }
  void setOffset(size_t offset) { at = offset; }

  Space skipSpace();
  // Skips white space and then the token. If another token follows, skips nothing and returns
  // false.
  bool take(std::string_view token);
  // Takes the token, or fails with "expected `token` `where`".
  bool expect(std::string_view token, std::string_view where);
  // Takes a word or a number; empty at punctuation and at the end.
  std::string_view takeAtom();
  // Takes a string literal; `spelling` is the text between the quotes, with its escapes.
  bool takeString(std::string_view &spelling);
  // Takes the text from a `{` to its matching `}`, ignoring braces in strings. Returns an empty
  // text if there is no matching brace.
  std::string_view takeBraces();
  bool takeInteger(int64_t &value);
  // Returns the number of commas before the first other punctuation.
  size_t countCommas() const;

  // Records the error unless there is one already. Returns false.
  bool fail(DiagnosticCode code, std::string message, size_t offset);
  bool fail(std::string message);
  void forgetError() { failure.reset(); }
  // Describes what follows at the current position, for messages: "`}`" or "the end of the text".
  std::string seen() const;
  const Diagnostic &error() const { return *failure; }

private:
  std::string_view text;
  std::string_view fileName;
  size_t at = 0;
  std::optional<Diagnostic> failure;
};

// Whether a text can be a name in HLO text: it has no spaces, brackets or other punctuation.
bool isName(std::string_view text);
// Converts a name from a proto to a valid name. Replaces each invalid character with `_`, as XLA
// does (xla/service/name_uniquer.cc), and an empty name with `otherwise`.
std::string nameInText(std::string_view name, std::string_view otherwise);
// Whether a word is a number such as `-1` or `1.5e-05`.
bool isNumber(std::string_view atom);

} // namespace drumlin::hlo

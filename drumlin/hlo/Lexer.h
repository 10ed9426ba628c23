// Tokens of HLO text, read one at a time, and the first error.
#pragma once

#include "drumlin/hlo/Value.h"
#include "drumlin/support/Diagnostics.h"

namespace drumlin::hlo {

// What stands between two tokens.
struct Space {
  Gap gap;                  // before the comment, if there is one
  std::string_view comment; // `/*index=5*/` without the marks; of several, the last
  Gap afterComment;
};

class Lexer {
public:
  Lexer(std::string_view text, std::string_view fileName) : text(text), fileName(fileName) {}

  // The character here, 0 at the end.
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : 0; }
  bool atEnd() const { return at == text.size(); }
  bool startsWith(std::string_view token) const { return text.substr(at).starts_with(token); }
  // Whether a word that is no name stands here: `ROOT` with a space or a `%` after it.
  bool atKeyword(std::string_view word) const {
    char after = startsWith(word) ? peek(word.size()) : 0;
    return after == ' ' || after == '%' || (after >= '\t' && after <= '\r');
  }
  void advance(size_t count = 1) { at += count; }
  size_t offset() const { return at; }
  void setOffset(size_t offset) { at = offset; }

  Space skipSpace();
  // Takes the token and what is before it, or nothing.
  bool take(std::string_view token);
  // Takes the token, or says what was expected.
  bool expect(std::string_view token, std::string_view where);
  // The characters of a word or a number from here on; empty at punctuation and at the end.
  std::string_view takeAtom();
  // A string's spelling between its quotes.
  bool takeString(std::string_view &spelling);
  // From a brace to the one that matches it outside of strings, whatever is between; empty where
  // there is none.
  std::string_view takeBraces();
  bool takeInteger(int64_t &value);
  // From here up to what is no number, word or space.
  size_t countCommas() const;

  // Remembers the first error; always false.
  bool fail(DiagnosticCode code, std::string message, size_t offset);
  bool fail(std::string message) {
    return fail(DiagnosticCode::SyntaxInvalid, std::move(message), at);
  }
  void forgetError() { failure.reset(); }
  // What stands here, for messages: `}` or the end of the text.
  std::string seen() const;
  const Diagnostic &error() const { return *failure; }

private:
  std::string_view text;
  std::string_view fileName;
  size_t at = 0;
  std::optional<Diagnostic> failure;
};

// Whether a text can be a name: one without spaces, brackets and the like.
bool isName(std::string_view text);
// Such a text of a name that protos hold: as XLA makes its names (xla/service/name_uniquer.cc), `_`
// in the place of each character that can't be, and `otherwise` in the place of none.
std::string nameInText(std::string_view name, std::string_view otherwise);
// As JSON and HLO write numbers: `-1`, `1.5e-05`.
bool isNumber(std::string_view atom);

} // namespace drumlin::hlo

#include "drumlin/hlo/proto/AttributeList.h"

#include "drumlin/hlo/ParseOptions.h"
#include "drumlin/hlo/ValueParser.h"

#include <algorithm>
#include <array>

namespace drumlin::hlo {

// The characters that need no escape in a quoted string.
static constexpr std::array<bool, 256> plain = [] {
  std::array<bool, 256> table{};
  for (unsigned char c = ' '; c < 0x7f; ++c) {
    table[c] = c != '"' && c != '\\' && c != '\'';
  }
  return table;
}();

static bool isPlain(char c) { return plain[static_cast<unsigned char>(c)]; }

static void escape(std::string_view text, std::string &out) {
  for (unsigned char c : text) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out.append("\\").append(1, c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
    } else if (c == '"' || c == '\\' || c == '\'') {
      out.append("\\").append(1, static_cast<char>(c));
    } else if (c < ' ' || c >= 0x7f) {
      out += '\\';
      out += static_cast<char>('0' + (c >> 6));
      out += static_cast<char>('0' + ((c >> 3) & 7));
      out += static_cast<char>('0' + (c & 7));
    } else {
      out += static_cast<char>(c);
    }
  }
}

void printQuoted(std::string_view text, std::string &out) {
  out += '"';
  escape(text, out);
  out += '"';
}

// Whether the whole text is a single word or number.
static bool isAtom(std::string_view text) {
  auto isFirst = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && isFirst(text[0]) && Lexer(text, {}).takeAtom().size() == text.size();
}

void setQuoted(std::string_view contents, Value &value, Arena &arena) {
  value.kind = Value::Kind::String;
  value.bracket = '"';
  if (std::all_of(contents.begin(), contents.end(), isPlain)) {
    value.text.assign(contents, arena);
    return;
  }
  std::string text;
  escape(contents, text);
  value.text.assign(text, arena);
}

Value &AttributeList::add(std::string_view name) {
  Attribute &attribute = items.emplace_back();
  attribute.name.assign(name, arena);
  return attribute.value;
}

void AttributeList::word(std::string_view name, std::string_view value) {
  if (!isAtom(value)) {
    text(name, value);
    return;
  }
  Value &added = add(name);
  added.kind = isNumber(value) ? Value::Kind::Number : Value::Kind::Word;
  added.text.assign(value, arena);
}

void AttributeList::quoted(std::string_view name, std::string_view contents) {
  setQuoted(contents, add(name), arena);
}

void AttributeList::text(std::string_view name, std::string_view spelling) {
  std::string attribute(", ");
  attribute.append(name).append("=").append(spelling);
  Lexer lexer(attribute, {});
  NameResolver names(lexer);
  ValueParser values(lexer, names, ParseOptions().maxNesting, [] { return nullptr; });
  if ((!values.parseAttributes(items) || !lexer.atEnd()) && !wrong) {
    wrong = items.back().name;
  }
}

} // namespace drumlin::hlo

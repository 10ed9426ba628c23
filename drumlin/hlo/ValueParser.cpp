#include "drumlin/hlo/ValueParser.h"

#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <algorithm>

namespace drumlin::hlo {

// Whether a comment gives an item's index, as older texts do for every fifth item of a list.
static bool isIndexComment(std::string_view comment, size_t index) {
  return index != 0 && index % 5 == 0 && comment.starts_with("index=") &&
         comment.substr(6) == std::to_string(index);
}

bool ValueParser::enter() {
  if (nesting == maxNesting) {
    return lexer.fail(errors::NestingTooDeep,
                      "more than " + std::to_string(maxNesting) + " nested brackets",
                      lexer.offset());
  }
  ++nesting;
  return true;
}

// Takes list items that are only a number, perhaps after a space. This is a fast path for
// constants, which can have millions of numbers. Returns whether a comma precedes the next item.
bool ValueParser::parsePlainNumbers(Value &list, char close, bool comma) {
  constexpr size_t fewItems = 8;
  for (;;) {
    size_t begin = lexer.offset();
    uint16_t spaces = lexer.peek() == ' ' ? 1 : 0;
    lexer.advance(spaces);
    std::string_view atom = lexer.takeAtom();
    char next = lexer.peek();
    if ((next != ',' && next != close) || !isNumber(atom)) {
      lexer.setOffset(begin);
      return comma;
    }
    if (list.items.size() == fewItems) {
      list.items.reserve(fewItems + 1 + lexer.countCommas());
    }
    Value &item = list.items.emplace_back();
    item.kind = Value::Kind::Number;
    item.comma = comma;
    item.before.spaces = spaces;
    item.text = atom;
    if (next == close) {
      return false;
    }
    lexer.advance();
    comma = true;
  }
}

bool ValueParser::parseList(Value &value, NameKind nameKind) {
  if (!enter()) {
    return false;
  }
  size_t begin = lexer.offset();
  value.kind = Value::Kind::List;
  value.bracket = lexer.peek();
  char close = value.bracket == '{' ? '}' : value.bracket == '(' ? ')' : ']';
  lexer.advance();
  bool comma = false;
  for (;;) {
    if (nameKind == NameKind::Any) {
      comma = parsePlainNumbers(value, close, comma);
    }
    Space space = lexer.skipSpace();
    if (lexer.peek() == close) {
      lexer.advance();
      value.beforeClose = space.gap;
      value.commaAtEnd = comma;
      --nesting;
      return true;
    }
    if (lexer.atEnd()) {
      return lexer.fail(errors::SyntaxInvalid,
                        "`" + std::string(1, value.bracket) + "` that is not closed", begin);
    }
    Value &item = value.items.emplace_back();
    item.comma = comma;
    if (!parseItem(item, nameKind)) {
      return false;
    }
    item.before = space.gap;
    if (!space.comment.empty()) {
      bool index = isIndexComment(space.comment, value.items.size() - 1);
      value.indexComments |= index;
      if (!index || space.afterComment != Gap()) {
        item.comment = std::make_unique<Comment>();
        item.comment->text = index ? "" : space.comment;
        item.comment->after = space.afterComment;
      }
    }
    comma = lexer.take(",");
  }
}

// Parses an item of a list: `key=value`, `key:value`, or a value.
bool ValueParser::parseItem(Value &value, NameKind nameKind) {
  if (!parseSequence(value, nameKind, Place::Item)) {
    return false;
  }
  size_t end = lexer.offset();
  Gap gap = lexer.skipSpace().gap;
  char separator = lexer.peek();
  if (separator != '=' && separator != ':') {
    lexer.setOffset(end);
    return true;
  }
  lexer.advance();
  Value key = std::move(value);
  value = Value();
  value.comma = key.comma;
  value.kind = Value::Kind::Entry;
  value.bracket = separator;
  value.beforeClose = gap;
  value.items.resize(2);
  value.items[0] = std::move(key);
  Space space = lexer.skipSpace();
  if (!parseSequence(value.items[1], nameKind, Place::Keyed)) {
    return false;
  }
  value.items[1].before = space.gap;
  return true;
}

// Parses a range such as `0:2:1` after its first number.
bool ValueParser::parseRange(Value &value) {
  Value first = std::move(value);
  value = Value();
  value.comma = first.comma;
  value.kind = Value::Kind::Range;
  value.items.push_back(std::move(first));
  while (lexer.peek() == ':') {
    lexer.advance();
    Value &number = value.items.emplace_back();
    number.kind = Value::Kind::Number;
    size_t offset = lexer.offset();
    number.text = lexer.takeAtom();
    if (!isNumber(number.text)) {
      lexer.setOffset(offset);
      return lexer.fail("expected a number after `:` of a range");
    }
  }
  return true;
}

bool ValueParser::parseSequence(Value &value, NameKind nameKind, Place place) {
  if (!parsePrimary(value, nameKind)) {
    return false;
  }
  bool inList = place != Place::Attribute;
  if (inList && value.kind == Value::Kind::Number && lexer.peek() == ':' && lexer.peek(1) >= '-' &&
      lexer.peek(1) <= '9' && !parseRange(value)) {
    return false;
  }
  for (;;) {
    size_t end = lexer.offset();
    Gap gap = lexer.skipSpace().gap;
    char c = lexer.peek();
    // Whether this is a `:` inside a sequence, as in `1 : i32` and `L.1@2:4`, and not a `:` that
    // ends a key.
    bool colon = c == ':' && place != Place::Item;
    // A space separates items of a list; a line break ends an attribute.
    bool ends = inList ? end != lexer.offset() && !colon
                       : gap.lines != 0 || (end != lexer.offset() && atInstruction());
    if (ends || c == 0 || c == ',' || c == '}' || c == ')' || c == ']' || c == '=' ||
        (c == ':' && !colon)) {
      lexer.setOffset(end);
      return true;
    }
    if (value.kind != Value::Kind::Sequence) {
      Value first = std::move(value);
      value = Value();
      value.comma = first.comma;
      value.kind = Value::Kind::Sequence;
      value.items.push_back(std::move(first));
    }
    if (colon) {
      Value &mark = value.items.emplace_back();
      mark.kind = Value::Kind::Mark;
      mark.text = ":";
      mark.before = gap;
      lexer.advance();
      gap = lexer.skipSpace().gap;
    }
    Value &next = value.items.emplace_back();
    next.before = gap;
    if (!parsePrimary(next, nameKind)) {
      return false;
    }
  }
}

bool ValueParser::parsePrimary(Value &value, NameKind nameKind) {
  switch (lexer.peek()) {
  case '{':
    if (nameKind == NameKind::Computations && atInlineComputation()) {
      value.kind = Value::Kind::Name;
      value.referent.set(readInline());
      return value.computation() != nullptr;
    }
    return parseList(value, nameKind);
  case '(':
  case '[':
    return parseList(value, nameKind);
  case '"':
  case '\'': {
    value.kind = Value::Kind::String;
    value.bracket = lexer.peek();
    std::string_view spelling;
    if (!lexer.takeString(spelling)) {
      return false;
    }
    value.text = spelling;
    return true;
  }
  case '%': {
    size_t offset = lexer.offset();
    lexer.advance();
    std::string_view name = lexer.takeAtom();
    if (name.empty()) {
      return lexer.fail("expected a name after `%`, not " + lexer.seen());
    }
    value.percent = true;
    names.resolve(value, name, offset, nameKind);
    return true;
  }
  default:
    break;
  }
  for (std::string_view mark : {"->", "<=", "<", ">"}) {
    if (lexer.startsWith(mark)) {
      value.kind = Value::Kind::Mark;
      value.text = mark;
      lexer.advance(mark.size());
      return true;
    }
  }
  size_t offset = lexer.offset();
  std::string_view atom = lexer.takeAtom();
  if (atom.empty()) {
    return lexer.fail("expected a value, not " + lexer.seen());
  }
  // XLA prints the attributes of an inline computation after it, also in lists of computations. A
  // word before `=` is the name of such an attribute.
  if (nameKind != NameKind::Any && lexer.peek() != '=') {
    names.resolve(value, atom, offset, nameKind);
    return true;
  }
  if (lexer.peek() == '[' && isElementTypeWord(atom)) {
    value.kind = Value::Kind::Shape;
    value.referent.set(std::make_unique<Shape>());
    return parseArray(atom, *value.shape(), /*spacedLayout=*/false);
  }
  value.kind = isNumber(atom) ? Value::Kind::Number : Value::Kind::Word;
  value.text = atom;
  return true;
}

bool ValueParser::parseAttributeValue(Value &value, NameKind nameKind) {
  Space space = lexer.skipSpace();
  if (!parseSequence(value, nameKind, Place::Attribute)) {
    return false;
  }
  value.before = space.gap;
  return true;
}

bool ValueParser::parseBraces(Value &value) {
  value.before = lexer.skipSpace().gap;
  std::string_view braces = lexer.takeBraces();
  value.text = braces;
  return !braces.empty();
}

bool ValueParser::parseAttributes(List<Attribute> &attributes) {
  while (lexer.take(",")) {
    lexer.skipSpace();
    Attribute &attribute = attributes.emplace_back();
    attribute.name = lexer.takeAtom();
    if (attribute.name.empty()) {
      return lexer.fail("expected an attribute's name, not " + lexer.seen());
    }
    if (!lexer.expect("=", "after an attribute's name")) {
      return false;
    }
    if (!parseAttributeValue(attribute)) {
      return false;
    }
  }
  return true;
}

bool ValueParser::parseAttributeValue(Attribute &attribute) {
  size_t begin = lexer.offset();
  unsigned depth = nesting;
  if (parseAttributeValue(attribute.value, nameKindOf(attribute.name))) {
    return true;
  }
  // XLA reads these attributes as free text between matching braces.
  bool free = attribute.name == "backend_config" || attribute.name == "frontend_attributes";
  lexer.setOffset(begin);
  attribute.value = Value();
  if (!free || !parseBraces(attribute.value)) {
    return false;
  }
  lexer.forgetError();
  nesting = depth;
  return true;
}

bool ValueParser::atShape() {
  size_t begin = lexer.offset();
  std::string_view atom = lexer.takeAtom();
  if (lexer.peek() == ' ') {
    lexer.skipSpace();
  }
  char next = lexer.peek();
  lexer.setOffset(begin);
  return (atom.empty() && next == '(') || (atom == "b" && next == '(') ||
         (next == '[' && isElementTypeWord(atom));
}

// Whether the brace here begins an inline computation. Otherwise it begins a list, whose items are
// names of computations and inline computations.
bool ValueParser::atInlineComputation() {
  size_t begin = lexer.offset();
  lexer.advance();
  lexer.skipSpace();
  bool found = atInstruction();
  lexer.setOffset(begin);
  return found;
}

bool ValueParser::atInstruction() {
  size_t begin = lexer.offset();
  bool found = lexer.atKeyword("ROOT") || lexer.atKeyword("ENTRY");
  if (!found) {
    lexer.take("%");
    found = !lexer.takeAtom().empty() && lexer.take("=");
  }
  lexer.setOffset(begin);
  return found;
}

// Whether the brace after a shape begins the shape's layout. Otherwise it begins the body of a
// computation whose result has the shape.
bool ValueParser::atLayout() {
  size_t begin = lexer.offset();
  bool found = false;
  if (lexer.take("{")) {
    lexer.skipSpace();
    char c = lexer.peek();
    found = (c >= '0' && c <= '9') || c == ':' || c == '}';
  }
  lexer.setOffset(begin);
  return found;
}

bool ValueParser::parseShape(Shape &shape) {
  std::string_view atom = lexer.takeAtom();
  if (lexer.peek() == ' ') {
    lexer.skipSpace();
  }
  if (lexer.peek() == '[' && !atom.empty()) {
    return parseArray(atom, shape, /*spacedLayout=*/true);
  }
  if (lexer.peek() != '(' || !(atom.empty() || atom == "b")) {
    return lexer.fail("expected a shape such as `f32[8,4]{1,0}`, not " + lexer.seen());
  }
  if (!enter()) {
    return false;
  }
  shape.kind = atom.empty() ? Shape::Kind::Tuple : Shape::Kind::Buffer;
  lexer.advance();
  if (!lexer.take(")")) {
    do {
      Space space = lexer.skipSpace();
      shape.indexComments |= isIndexComment(space.comment, shape.elements.size());
      if (!parseShape(shape.elements.emplace_back())) {
        return false;
      }
    } while (lexer.take(","));
    if (!lexer.expect(")", "after the shapes of a tuple")) {
      return false;
    }
  }
  --nesting;
  return true;
}

bool ValueParser::parseDimension(Dimension &dimension) {
  lexer.skipSpace();
  dimension.dynamic = lexer.take("<=");
  if (lexer.take("?")) {
    dimension = {-1, true};
    return true;
  }
  if (lexer.peek() < '0' || lexer.peek() > '9') {
    return lexer.fail("expected a dimension, not " + lexer.seen());
  }
  return lexer.takeInteger(dimension.size);
}

bool ValueParser::parseArray(std::string_view element, Shape &shape, bool spacedLayout) {
  shape.element = element;
  lexer.advance();
  if (!lexer.take("]")) {
    do {
      if (!parseDimension(shape.dimensions.emplace_back())) {
        return false;
      }
    } while (lexer.take(","));
    if (!lexer.expect("]", "after the dimensions of a shape")) {
      return false;
    }
  }
  bool spaced = spacedLayout && lexer.peek() == ' ' && lexer.peek(1) == '{';
  if (lexer.peek() != '{' && !spaced) {
    return true;
  }
  return !atLayout() || parseLayout(shape.layout.emplace());
}

bool ValueParser::parseLayout(Layout &layout) {
  lexer.take("{");
  lexer.skipSpace();
  if (lexer.peek() != '}' && lexer.peek() != ':') {
    do {
      lexer.skipSpace();
      if (!lexer.takeInteger(layout.minorToMajor.emplace_back())) {
        return false;
      }
    } while (lexer.take(","));
  }
  if (lexer.take(":")) {
    lexer.skipSpace();
    while (lexer.peek() != '}') {
      LayoutSuffix &suffix = layout.suffixes.emplace_back();
      suffix.name = lexer.takeAtom();
      if (suffix.name.empty() || lexer.peek() != '(') {
        return lexer.fail("expected a property of the layout, such as `T(8,128)`, not " +
                          lexer.seen());
      }
      while (lexer.peek() == '(') {
        if (!parseList(suffix.arguments.emplace_back())) {
          return false;
        }
      }
    }
  }
  return lexer.expect("}", "after a layout");
}

} // namespace drumlin::hlo

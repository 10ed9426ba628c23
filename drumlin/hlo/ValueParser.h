// Parses attribute values and shapes, and resolves the names in them.
#pragma once

#include "drumlin/hlo/Lexer.h"
#include "drumlin/hlo/NameResolver.h"

#include <functional>

namespace drumlin::hlo {

class ValueParser {
public:
  // Parses an inline computation, beginning at its brace; returns null after an error.
  using InlineReader = std::function<Computation *()>;

  ValueParser(Lexer &lexer, NameResolver &names, unsigned maxNesting, InlineReader readInline)
      : lexer(lexer), names(names), maxNesting(maxNesting), readInline(std::move(readInline)) {}

  // All parse functions return false after an error, which the lexer keeps.
  bool parseList(Value &value, NameKind nameKind = NameKind::Any);
  // Parses an attribute's value, up to a comma outside of brackets or the end of the line.
  bool parseAttributeValue(Value &value, NameKind nameKind);
  // Parses the value of an attribute whose name is already set.
  bool parseAttributeValue(Attribute &attribute);
  // Parses a possibly empty sequence of `, name=value`.
  bool parseAttributes(List<Attribute> &attributes);
  bool parseShape(Shape &shape);
  // Parses an array's dimensions and layout, `[2,<=3]{1,0}`, after its element type.
  // `spacedLayout`: a space may precede the layout; in attribute values, a brace after a space
  // begins a list instead.
  bool parseArray(std::string_view element, Shape &shape, bool spacedLayout);
  // Whether a shape begins here.
  bool atShape();
  // Whether `name =`, `ROOT` or `ENTRY` is here.
  bool atInstruction();
  // Enters a bracket; fails if the nesting would exceed the limit.
  bool enter();
  void leave() { --nesting; }

private:
  // The position of a sequence: after an attribute's name, in a list, or in a list after a key.
  enum class Place : uint8_t { Attribute, Item, Keyed };

  bool parsePrimary(Value &value, NameKind nameKind);
  bool parseSequence(Value &value, NameKind nameKind, Place place);
  bool parseItem(Value &value, NameKind nameKind);
  bool parseRange(Value &value);
  bool parseBraces(Value &value);
  bool parsePlainNumbers(Value &list, char close, bool comma);
  bool parseName(Value &value, std::string_view name, size_t offset, NameKind nameKind);
  bool parseLayout(Layout &layout);
  bool parseDimension(Dimension &dimension);
  bool atLayout();
  bool atInlineComputation();

  Lexer &lexer;
  NameResolver &names;
  unsigned maxNesting;
  InlineReader readInline;
  unsigned nesting = 0;
};

} // namespace drumlin::hlo

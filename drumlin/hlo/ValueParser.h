// Reads attributes' values and shapes; names in them are looked up as they are met.
#pragma once

#include "drumlin/hlo/Lexer.h"
#include "drumlin/hlo/NameResolver.h"

#include <functional>

namespace drumlin::hlo {

class ValueParser {
public:
  // Reads a computation that is written inline, from its brace on; null after an error.
  using InlineReader = std::function<Computation *()>;

  ValueParser(Lexer &lexer, NameResolver &names, unsigned maxNesting, InlineReader readInline)
      : lexer(lexer), names(names), maxNesting(maxNesting), readInline(std::move(readInline)) {}

  // All of these return false after an error, which the lexer keeps.
  bool parseList(Value &value, NameKind nameKind = NameKind::Any);
  // An attribute's value, up to a comma outside of brackets or the end of the line.
  bool parseAttributeValue(Value &value, NameKind nameKind);
  // The value of an attribute that has its name.
  bool parseAttributeValue(Attribute &attribute);
  // `, name=value` as often as they follow.
  bool parseAttributes(List<Attribute> &attributes);
  bool parseShape(Shape &shape);
  // What follows the word of an array's element type: `[2,<=3]{1,0}`. In values, a brace after a
  // space begins a list.
  bool parseArray(std::string_view element, Shape &shape, bool spacedLayout);
  // Whether a shape begins here.
  bool atShape();
  // Whether `name =` or `ROOT` stands here.
  bool atInstruction();
  // One more bracket that is open, as far as that is allowed.
  bool enter();
  void leave() { --nesting; }

private:
  // Where a sequence stands: after an attribute's name, in a list, or there after a key.
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

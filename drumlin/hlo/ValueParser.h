// Reads attributes' values and shapes; names in them are looked up as they are met.
#pragma once

#include "drumlin/hlo/Lexer.h"
#include "drumlin/hlo/Module.h"

#include <unordered_map>

namespace drumlin::hlo {

// What the names of an attribute stand for.
enum class NameKind : uint8_t {
  // A name with `%` is one of the module's if there is such a one; words are words.
  Any,
  // Names and words are computations that stand before this place.
  Computations,
  // Names and words are instructions that stand before this one in its computation.
  Instructions,
};

// Which names may be used here; the keys are the objects' own.
struct Names {
  std::unordered_map<std::string_view, Computation *> computations;
  std::unordered_map<std::string_view, Instruction *> instructions; // of the computation being read
};

class ValueParser {
public:
  ValueParser(Lexer &lexer, Names &names, unsigned maxNesting)
      : lexer(lexer), names(names), maxNesting(maxNesting) {}

  // All of these return false after an error, which the lexer keeps.
  bool parseList(Value &value, NameKind nameKind = NameKind::Any);
  // An attribute's value, up to a comma outside of brackets or the end of the line.
  bool parseAttributeValue(Value &value, NameKind nameKind);
  // `, name=value` as often as they follow.
  bool parseAttributes(std::vector<Attribute> &attributes);
  bool parseShape(Shape &shape);
  // What follows the word of an array's element type: `[2,<=3]{1,0}`.
  bool parseArray(std::string_view element, Shape &shape);
  // Whether a shape begins here.
  bool atShape();

  Instruction *findInstruction(std::string_view name) const;

private:
  // Where a sequence stands: after an attribute's name, in a list, or there after a key.
  enum class Place : uint8_t { Attribute, Item, Keyed };

  bool parsePrimary(Value &value, NameKind nameKind);
  bool parseSequence(Value &value, NameKind nameKind, Place place);
  bool parseItem(Value &value, NameKind nameKind);
  bool parseRange(Value &value);
  bool parseName(Value &value, std::string_view name, size_t offset, NameKind nameKind);
  bool parseLayout(Layout &layout);
  bool parseDimension(Dimension &dimension);
  bool enter();

  Lexer &lexer;
  Names &names;
  unsigned maxNesting;
  unsigned nesting = 0;
};

} // namespace drumlin::hlo

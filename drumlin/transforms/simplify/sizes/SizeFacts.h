// What is known of a program's sizes: its symbols, their bounds, and which of them are others.
#pragma once

#include "drumlin/ir/sizes/SizeSymbols.h"

#include <map>

namespace drumlin {

class SizeFacts {
public:
  // What became of something that a program requires. `News`: symbols or their bounds changed, so
  // that what was computed before may have a simpler form. `Contradiction`: no sizes satisfy it.
  enum class Outcome { Known, News, Contradiction };

  // A symbol for a dimension of an argument. The name is made unique.
  SizeExpression addSymbol(std::string name, int64_t maximum = maxSymbolValue);
  void rename(const std::string &symbol, const std::string &name);

  // Without the symbols that turned out to be others.
  SizeExpression simplified(SizeExpression size) const;

  Outcome requireZero(const SizeExpression &size);
  Outcome requireEqual(const SizeExpression &a, const SizeExpression &b) {
    return requireZero(a - b);
  }
  Outcome requireAtLeastZero(const SizeExpression &size);
  // Nothing where it depends on the symbols.
  std::optional<bool> isAtLeastZero(const SizeExpression &size) const;

  SizeExpression larger(const SizeExpression &a, const SizeExpression &b) const;
  SizeExpression smaller(const SizeExpression &a, const SizeExpression &b) const;
  SizeExpression::Range rangeOf(const SizeExpression &size) const;

  // The symbols that are left, in the order in which they came, without nominal values.
  std::vector<SizeSymbol> symbols() const;
  // What bounds of symbols don't say.
  std::vector<SizeConstraint> constraints() const;

private:
  Outcome replace(const std::string &symbol, const SizeExpression &by);
  bool replaceSolved(const SizeExpression &size, Outcome &outcome);
  bool replaceMultiple(const SizeExpression &size, Outcome &outcome);
  Outcome bound(SizeSymbol &symbol, int64_t minimum, int64_t maximum);
  Outcome keep(SizeConstraint constraint);
  SizeSymbol *find(std::string_view name);
  std::string uniqueName(std::string name) const;

  std::vector<SizeSymbol> left;
  std::vector<std::string> used;
  std::vector<std::pair<std::string, SizeExpression>> replaced; // in terms of those that are left
  std::vector<SizeConstraint> kept;
};

} // namespace drumlin

// The facts known about a program's sizes: its symbols, their bounds, and which symbols are equal
// to expressions over other symbols.
#pragma once

#include "drumlin/ir/sizes/SizeSymbols.h"

#include <map>

namespace drumlin {

class SizeFacts {
public:
  // The outcome of adding a constraint on sizes. `Known`: symbols and their bounds stay the same.
  // `News`: they changed, so earlier results may simplify further. `Contradiction`: no sizes
  // satisfy the constraint.
  enum class Outcome { Known, News, Contradiction };

  // Adds a symbol for a dimension of an argument; makes the name unique.
  SizeExpression addSymbol(std::string name, int64_t maximum = maxSymbolValue);
  void rename(const std::string &symbol, const std::string &name);

  // Returns the expression with each replaced symbol expanded to the expression that replaces it.
  SizeExpression simplified(SizeExpression size) const;

  Outcome requireZero(const SizeExpression &size);
  Outcome requireEqual(const SizeExpression &a, const SizeExpression &b) {
    return requireZero(a - b);
  }
  Outcome requireAtLeastZero(const SizeExpression &size);
  // Returns whether the size is at least 0 for all sizes, or nothing if that depends on the
  // symbols.
  std::optional<bool> isAtLeastZero(const SizeExpression &size) const;

  SizeExpression larger(const SizeExpression &a, const SizeExpression &b) const;
  SizeExpression smaller(const SizeExpression &a, const SizeExpression &b) const;
  SizeExpression::Range rangeOf(const SizeExpression &size) const;

  // Returns the symbols that were not replaced, in order of creation, without nominal values.
  std::vector<SizeSymbol> symbols() const;
  // Returns the constraints that bounds of symbols can't express.
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
  std::vector<std::pair<std::string, SizeExpression>> replaced; // each by an expression over `left`
  std::vector<SizeConstraint> kept;
};

} // namespace drumlin

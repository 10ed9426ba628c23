#include "drumlin/transforms/simplify/sizes/SizeFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace drumlin {

using Outcome = SizeFacts::Outcome;

static constexpr int64_t endless = std::numeric_limits<int64_t>::max();

// Returns a name of letters, digits and `_`. If the text doesn't begin with a letter, adds one.
static std::string nameFrom(std::string text) {
  for (char &c : text) {
    c = llvm::isAlnum(c) ? c : '_';
  }
  return SizeExpression::isName(text) ? text : "d" + text;
}

std::string SizeFacts::uniqueName(std::string name) const {
  name = nameFrom(std::move(name));
  std::string made = name;
  for (int number = 1; llvm::is_contained(used, made); ++number) {
    made = name + "_" + std::to_string(number);
  }
  return made;
}

SizeExpression SizeFacts::addSymbol(std::string name, int64_t maximum) {
  std::string made = uniqueName(std::move(name));
  used.push_back(made);
  left.push_back({made, 0, 0, maximum});
  return SizeExpression::symbol(made);
}

SizeSymbol *SizeFacts::find(std::string_view name) {
  auto found = llvm::find_if(left, [&](const SizeSymbol &symbol) { return symbol.name == name; });
  return found == left.end() ? nullptr : &*found;
}

void SizeFacts::rename(const std::string &symbol, const std::string &name) {
  SizeSymbol *found = find(symbol);
  if (!found || symbol == name) {
    return;
  }
  SizeExpression made = addSymbol(name, found->maximum);
  found = find(symbol);
  SizeSymbol renamed = *found;
  renamed.name = left.back().name;
  left.pop_back();
  *find(symbol) = renamed;
  for (auto &[from, by] : replaced) {
    by = by.substitute(symbol, made);
  }
  for (SizeConstraint &each : kept) {
    each.size = each.size.substitute(symbol, made);
  }
  replaced.emplace_back(symbol, made);
}

SizeExpression SizeFacts::simplified(SizeExpression size) const {
  for (const auto &[symbol, by] : replaced) {
    size = size.substitute(symbol, by);
  }
  return size;
}

SizeExpression::Range SizeFacts::rangeOf(const SizeExpression &size) const {
  return size.range([&](std::string_view name) {
    auto found = llvm::find_if(left, [&](const SizeSymbol &s) { return s.name == name; });
    return found == left.end() ? SizeExpression::Range(-endless, endless)
                               : SizeExpression::Range(found->minimum, found->maximum);
  });
}

std::optional<bool> SizeFacts::isAtLeastZero(const SizeExpression &size) const {
  auto [low, high] = rangeOf(size);
  bool isKept = llvm::any_of(kept, [&](const SizeConstraint &each) {
    auto more = (size - each.size).constant();
    return more && *more >= 0;
  });
  return low >= 0 || isKept ? std::optional(true) : high < 0 ? std::optional(false) : std::nullopt;
}

SizeExpression SizeFacts::larger(const SizeExpression &a, const SizeExpression &b) const {
  std::optional<bool> isFirst = isAtLeastZero(a - b);
  if (!isFirst && isAtLeastZero(b - a) == true) {
    return b;
  }
  return isFirst ? (*isFirst ? a : b) : SizeExpression::larger(a, b);
}

SizeExpression SizeFacts::smaller(const SizeExpression &a, const SizeExpression &b) const {
  std::optional<bool> isSecond = isAtLeastZero(a - b);
  if (!isSecond && isAtLeastZero(b - a) == true) {
    return a;
  }
  return isSecond ? (*isSecond ? b : a) : SizeExpression::smaller(a, b);
}

Outcome SizeFacts::keep(SizeConstraint constraint) {
  bool isKept = llvm::any_of(kept, [&](const SizeConstraint &each) {
    return each.isZero == constraint.isZero && each.size == constraint.size;
  });
  if (!isKept) {
    kept.push_back(std::move(constraint));
  }
  return Outcome::Known;
}

Outcome SizeFacts::bound(SizeSymbol &symbol, int64_t minimum, int64_t maximum) {
  if (minimum <= symbol.minimum && maximum >= symbol.maximum) {
    return Outcome::Known;
  }
  symbol.minimum = std::max(minimum, symbol.minimum);
  symbol.maximum = std::min(maximum, symbol.maximum);
  if (symbol.minimum > symbol.maximum) {
    return Outcome::Contradiction;
  }
  if (symbol.minimum == symbol.maximum) {
    return replace(std::string(symbol.name), symbol.minimum);
  }
  return Outcome::News;
}

Outcome SizeFacts::replace(const std::string &symbol, const SizeExpression &by) {
  SizeSymbol old = *find(symbol);
  llvm::erase_if(left, [&](const SizeSymbol &each) { return each.name == symbol; });
  for (auto &[from, value] : replaced) {
    value = value.substitute(symbol, by);
  }
  replaced.emplace_back(symbol, by);
  // Requirements on the symbol become requirements on the expression that replaces it.
  std::vector<SizeConstraint> before = std::move(kept);
  kept.clear();
  before.push_back({by - old.minimum, false});
  if (old.maximum != endless) {
    before.push_back({SizeExpression(old.maximum) - by, false});
  }
  for (const SizeConstraint &each : before) {
    SizeExpression size = each.size.substitute(symbol, by);
    Outcome outcome = each.isZero ? requireZero(size) : requireAtLeastZero(size);
    if (outcome == Outcome::Contradiction) {
      return outcome;
    }
  }
  return Outcome::News;
}

// Returns the coefficient of a symbol that forms a term by itself and occurs in no other term.
static std::optional<int64_t> coefficientOf(const SizeExpression &size, const std::string &symbol) {
  std::optional<int64_t> coefficient;
  for (const SizeExpression::Term &term : size.terms()) {
    bool isAlone = term.factors.size() == 1 && term.factors.front().text == symbol;
    if (isAlone) {
      coefficient = term.coefficient;
    }
  }
  if (!coefficient) {
    return std::nullopt;
  }
  SizeExpression rest = size - SizeExpression(*coefficient) * SizeExpression::symbol(symbol);
  return llvm::is_contained(rest.symbols(), symbol) ? std::nullopt : coefficient;
}

// Since a + x = 0 determines x, solves for the newest symbol, so that symbols of the first
// arguments remain.
bool SizeFacts::replaceSolved(const SizeExpression &size, Outcome &outcome) {
  for (const SizeSymbol &symbol : llvm::reverse(left)) {
    std::optional<int64_t> coefficient = coefficientOf(size, symbol.name);
    SizeExpression term = SizeExpression::symbol(symbol.name) * coefficient.value_or(0);
    if (coefficient == int64_t(1) || coefficient == int64_t(-1)) {
      outcome = replace(std::string(symbol.name), (term - size) * *coefficient);
      return true;
    }
    std::optional<int64_t> rest = coefficient ? (term - size).constant() : std::nullopt;
    if (rest) {
      outcome = *rest % *coefficient == 0 ? replace(std::string(symbol.name), *rest / *coefficient)
                                          : Outcome::Contradiction;
      return true;
    }
  }
  return false;
}

// c * floordiv(x + k, c) = x + k means that x + k is a multiple of c.
bool SizeFacts::replaceMultiple(const SizeExpression &size, Outcome &outcome) {
  for (const SizeExpression::Term &term : size.terms()) {
    bool isQuotient = term.factors.size() == 1 &&
                      term.factors.front().kind == SizeExpression::FactorKind::Quotient;
    if (!isQuotient) {
      continue;
    }
    const SizeExpression &dividend = term.factors.front().operands[0];
    std::optional<int64_t> by = term.factors.front().operands[1].constant();
    if (!by || *by <= 0 || term.coefficient % *by != 0) {
      continue;
    }
    SizeExpression multiple = (SizeExpression(*by) * dividend.quotient(*by) - dividend) *
                              SizeExpression(term.coefficient / *by);
    std::vector<std::string> symbols = dividend.symbols();
    bool isMultiple = symbols.size() == 1 && size == multiple;
    std::string name = isMultiple ? symbols.front() : "";
    if (!isMultiple || coefficientOf(dividend, name) != int64_t(1)) {
      continue;
    }
    int64_t more = *(dividend - SizeExpression::symbol(name)).constant();
    SizeSymbol old = *find(name);
    SizeExpression part = addSymbol(name + "_by_" + std::to_string(*by));
    // The new symbol takes the position of the replaced symbol in the list.
    SizeSymbol made = left.back();
    left.pop_back();
    made.minimum = std::max<int64_t>(0, llvm::divideCeilSigned(old.minimum + more, *by));
    left.insert(left.begin() + (find(name) - left.data()), made);
    outcome = replace(name, part * *by - more);
    return true;
  }
  return false;
}

Outcome SizeFacts::requireZero(const SizeExpression &given) {
  SizeExpression size = simplified(given);
  if (auto value = size.constant()) {
    return *value == 0 ? Outcome::Known : Outcome::Contradiction;
  }
  auto [low, high] = rangeOf(size);
  if (low > 0 || high < 0) {
    return Outcome::Contradiction;
  }
  Outcome outcome = Outcome::Known;
  if (replaceMultiple(size, outcome) || replaceSolved(size, outcome)) {
    return outcome;
  }
  return keep({size, true});
}

Outcome SizeFacts::requireAtLeastZero(const SizeExpression &given) {
  SizeExpression size = simplified(given);
  if (std::optional<bool> known = isAtLeastZero(size)) {
    return *known ? Outcome::Known : Outcome::Contradiction;
  }
  std::vector<std::string> symbols = size.symbols();
  std::optional<int64_t> coefficient =
      symbols.size() == 1 ? coefficientOf(size, symbols.front()) : std::nullopt;
  if (!coefficient) {
    return keep({size, false});
  }
  SizeSymbol &symbol = *find(symbols.front());
  SizeExpression term = SizeExpression::symbol(symbol.name) * *coefficient;
  int64_t limit = *(term - size).constant(); // coefficient * symbol >= limit
  return *coefficient > 0 ? bound(symbol, llvm::divideCeilSigned(limit, *coefficient), endless)
                          : bound(symbol, 0, llvm::divideFloorSigned(-limit, -*coefficient));
}

std::vector<SizeSymbol> SizeFacts::symbols() const { return left; }
std::vector<SizeConstraint> SizeFacts::constraints() const { return kept; }

} // namespace drumlin

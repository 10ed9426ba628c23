// Sizes known only when the program runs, as polynomials over symbols: `2 * b * s + 1`.
//
// Sizes that are equal by ring arithmetic are equal expressions: terms and factors are sorted, and
// a remainder is expressed by its quotient. Quotients, maxima and minima that can't be simplified
// are factors, so that `floordiv(s, 4) * 4` is an expression like any other.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace drumlin {

class SizeExpression {
public:
  enum class FactorKind { Symbol, Quotient, Larger, Smaller };
  // A factor that isn't itself a sum of products.
  struct Factor {
    FactorKind kind = FactorKind::Symbol;
    std::string text;                     // the symbol's name, or the function's text
    std::vector<SizeExpression> operands; // a function has two, a symbol none
    bool operator==(const Factor &other) const { return text == other.text; }
  };
  struct Term {
    int64_t coefficient = 0;
    std::vector<Factor> factors; // sorted by their texts
  };
  using Values = std::function<std::optional<int64_t>(std::string_view symbol)>;
  using Range = std::pair<int64_t, int64_t>; // inclusive bounds; the largest number means unbounded
  using Ranges = std::function<Range(std::string_view symbol)>;

  SizeExpression() = default;
  SizeExpression(int64_t constant); // NOLINT(google-explicit-constructor): numbers are sizes
  static SizeExpression symbol(std::string_view name);
  // Parses the output of str() and less strict forms: `4*h - floordiv(s + 3, 4)`. Nothing for
  // invalid text.
  static std::optional<SizeExpression> parse(std::string_view text);
  // Parses sizes separated by commas.
  static std::optional<std::vector<SizeExpression>> parseList(std::string_view text);
  static bool isName(std::string_view text);

  // False if a number exceeded 64 bits or there were more than maxTerms terms. An invalid
  // expression has no value and equals no expression; every operation on it gives an invalid
  // expression.
  bool isValid() const { return !isBroken; }
  static constexpr size_t maxTerms = 64;

  SizeExpression operator+(const SizeExpression &other) const;
  SizeExpression operator-(const SizeExpression &other) const;
  SizeExpression operator*(const SizeExpression &other) const;
  // Returns the quotient, rounded down.
  SizeExpression quotient(const SizeExpression &divisor) const;
  // Returns the quotient, rounded up: the number of pieces if the size is split into pieces of the
  // divisor's size, of which the last one may be smaller.
  SizeExpression ceilQuotient(const SizeExpression &divisor) const;
  // Returns the size, rounded up to a multiple of a number.
  SizeExpression roundedUpTo(int64_t multiple) const;
  SizeExpression remainder(const SizeExpression &divisor) const;
  static SizeExpression larger(const SizeExpression &a, const SizeExpression &b);
  static SizeExpression smaller(const SizeExpression &a, const SizeExpression &b);

  bool operator==(const SizeExpression &other) const;

  const std::vector<Term> &terms() const { return sum; }
  std::optional<int64_t> constant() const;
  // Returns the name if this is only a symbol.
  std::optional<std::string> asSymbol() const;
  // Returns the names of its symbols, each once, sorted.
  std::vector<std::string> symbols() const;

  // Returns the value; nothing if a symbol has no value, a divisor is zero, or a number exceeds 64
  // bits.
  std::optional<int64_t> evaluate(const Values &values) const;
  SizeExpression substitute(std::string_view symbol, const SizeExpression &by) const;
  // Returns bounds of the values. Factors are treated as independent.
  Range range(const Ranges &ranges) const;

  std::string str() const;

private:
  static SizeExpression broken();
  static SizeExpression function(FactorKind kind, const SizeExpression &a, const SizeExpression &b);
  static SizeExpression ofTerms(std::vector<Term> terms);
  std::optional<SizeExpression> exactQuotient(const SizeExpression &divisor) const;
  void collectSymbols(std::vector<std::string> &names) const;

  std::vector<Term> sum; // terms sorted by factors; the term without factors is last
  bool isBroken = false;
};

std::string str(const std::vector<SizeExpression> &sizes);

} // namespace drumlin

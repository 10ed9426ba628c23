// Sizes that are known when the program runs, as polynomials over symbols: `2 * b * s + 1`.
//
// Equal sizes are equal expressions as far as ring arithmetic goes: terms and factors have one
// order, and a remainder is what its quotient leaves. Quotients, maxima and minima that nothing
// simplifies are factors of their own, so that `floordiv(s, 4) * 4` is a size like any other.
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
  // What isn't itself a sum of products.
  struct Factor {
    FactorKind kind = FactorKind::Symbol;
    std::string text;                     // the symbol's name, or the function as it is written
    std::vector<SizeExpression> operands; // of a function: two
    bool operator==(const Factor &other) const { return text == other.text; }
  };
  struct Term {
    int64_t coefficient = 0;
    std::vector<Factor> factors; // in the order of their texts
  };
  using Values = std::function<std::optional<int64_t>(std::string_view symbol)>;
  using Range = std::pair<int64_t, int64_t>; // inclusive; the largest number has no end
  using Ranges = std::function<Range(std::string_view symbol)>;

  SizeExpression() = default;
  SizeExpression(int64_t constant); // NOLINT(google-explicit-constructor): numbers are sizes
  static SizeExpression symbol(std::string_view name);
  // What str() wrote, and more freely: `4*h - floordiv(s + 3, 4)`. Nothing for any other text.
  static std::optional<SizeExpression> parse(std::string_view text);
  // A comma between each two.
  static std::optional<std::vector<SizeExpression>> parseList(std::string_view text);
  static bool isName(std::string_view text);

  // False for what came of numbers beyond 64 bits or has more than maxTerms terms: every operation
  // on it gives the same, it has no value, and it equals nothing.
  bool isValid() const { return !isBroken; }
  static constexpr size_t maxTerms = 64;

  SizeExpression operator+(const SizeExpression &other) const;
  SizeExpression operator-(const SizeExpression &other) const;
  SizeExpression operator*(const SizeExpression &other) const;
  // Rounded down.
  SizeExpression quotient(const SizeExpression &divisor) const;
  // Rounded up: how many pieces of the divisor's size there are, of which the last may be smaller.
  SizeExpression ceilQuotient(const SizeExpression &divisor) const;
  // The next multiple of a number.
  SizeExpression roundedUpTo(int64_t multiple) const;
  SizeExpression remainder(const SizeExpression &divisor) const;
  static SizeExpression larger(const SizeExpression &a, const SizeExpression &b);
  static SizeExpression smaller(const SizeExpression &a, const SizeExpression &b);

  bool operator==(const SizeExpression &other) const;

  const std::vector<Term> &terms() const { return sum; }
  std::optional<int64_t> constant() const;
  // The name, where this is a symbol alone.
  std::optional<std::string> asSymbol() const;
  // The symbols' names in it, each once, in the order of their names.
  std::vector<std::string> symbols() const;

  // Nothing where a symbol has no value, a divisor is zero, or a number doesn't fit in 64 bits.
  std::optional<int64_t> evaluate(const Values &values) const;
  SizeExpression substitute(std::string_view symbol, const SizeExpression &by) const;
  // Bounds of the values. Factors count as independent.
  Range range(const Ranges &ranges) const;

  std::string str() const;

private:
  static SizeExpression broken();
  static SizeExpression function(FactorKind kind, const SizeExpression &a, const SizeExpression &b);
  static SizeExpression ofTerms(std::vector<Term> terms);
  std::optional<SizeExpression> exactQuotient(const SizeExpression &divisor) const;
  void collectSymbols(std::vector<std::string> &names) const;

  std::vector<Term> sum; // in the order of their factors, that without factors last
  bool isBroken = false;
};

std::string str(const std::vector<SizeExpression> &sizes);

} // namespace drumlin

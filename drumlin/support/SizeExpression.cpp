#include "drumlin/support/SizeExpression.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace drumlin {

using Factor = SizeExpression::Factor;
using Term = SizeExpression::Term;
using FactorKind = SizeExpression::FactorKind;
using Range = SizeExpression::Range;

static constexpr int64_t endless = std::numeric_limits<int64_t>::max();

//===- canonical form ---------------------------------------------------------------===//

// Orders terms with more factors first, then by their texts: a polynomial starts with its highest
// power.
static bool isBefore(const Term &a, const Term &b) {
  if (a.factors.size() != b.factors.size()) {
    return a.factors.size() > b.factors.size();
  }
  return std::lexicographical_compare(
      a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(),
      [](const Factor &x, const Factor &y) { return x.text < y.text; });
}

SizeExpression SizeExpression::broken() {
  SizeExpression made;
  made.isBroken = true;
  return made;
}

SizeExpression SizeExpression::ofTerms(std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end(), isBefore);
  SizeExpression made;
  for (Term &term : terms) {
    bool isSame = !made.sum.empty() && made.sum.back().factors == term.factors;
    if (!isSame) {
      made.sum.push_back(std::move(term));
      continue;
    }
    int64_t &coefficient = made.sum.back().coefficient;
    if (__builtin_add_overflow(coefficient, term.coefficient, &coefficient)) {
      return broken();
    }
  }
  std::erase_if(made.sum, [](const Term &term) { return term.coefficient == 0; });
  return made.sum.size() > maxTerms ? broken() : made;
}

SizeExpression::SizeExpression(int64_t constant) {
  if (constant != 0) {
    sum.push_back({constant, {}});
  }
}

SizeExpression SizeExpression::symbol(std::string_view name) {
  SizeExpression made;
  made.sum.push_back({1, {{FactorKind::Symbol, std::string(name), {}}}});
  return made;
}

bool SizeExpression::operator==(const SizeExpression &other) const {
  return isValid() && other.isValid() &&
         std::equal(sum.begin(), sum.end(), other.sum.begin(), other.sum.end(),
                    [](const Term &a, const Term &b) {
                      return a.coefficient == b.coefficient && a.factors == b.factors;
                    });
}

std::optional<int64_t> SizeExpression::constant() const {
  if (isBroken || sum.size() > 1 || (sum.size() == 1 && !sum.front().factors.empty())) {
    return std::nullopt;
  }
  return sum.empty() ? 0 : sum.front().coefficient;
}

std::optional<std::string> SizeExpression::asSymbol() const {
  bool isOne = sum.size() == 1 && sum.front().coefficient == 1 && sum.front().factors.size() == 1 &&
               sum.front().factors.front().kind == FactorKind::Symbol;
  return isOne ? std::optional(sum.front().factors.front().text) : std::nullopt;
}

//===- arithmetic -------------------------------------------------------------------===//

SizeExpression SizeExpression::operator+(const SizeExpression &other) const {
  if (isBroken || other.isBroken) {
    return broken();
  }
  std::vector<Term> terms = sum;
  terms.insert(terms.end(), other.sum.begin(), other.sum.end());
  return ofTerms(std::move(terms));
}

SizeExpression SizeExpression::operator-(const SizeExpression &other) const {
  return *this + other * SizeExpression(-1);
}

SizeExpression SizeExpression::operator*(const SizeExpression &other) const {
  if (isBroken || other.isBroken || sum.size() * other.sum.size() > maxTerms * maxTerms) {
    return broken();
  }
  std::vector<Term> terms;
  for (const Term &a : sum) {
    for (const Term &b : other.sum) {
      Term product;
      if (__builtin_mul_overflow(a.coefficient, b.coefficient, &product.coefficient)) {
        return broken();
      }
      std::merge(a.factors.begin(), a.factors.end(), b.factors.begin(), b.factors.end(),
                 std::back_inserter(product.factors),
                 [](const Factor &x, const Factor &y) { return x.text < y.text; });
      terms.push_back(std::move(product));
    }
  }
  return ofTerms(std::move(terms));
}

SizeExpression SizeExpression::function(FactorKind kind, const SizeExpression &a,
                                        const SizeExpression &b) {
  static constexpr std::array<const char *, 4> names = {"", "floordiv", "max", "min"};
  Factor factor{kind, "", {a, b}};
  // Maximum and minimum are symmetric, so their operands are sorted.
  if (kind != FactorKind::Quotient && b.str() < a.str()) {
    std::swap(factor.operands[0], factor.operands[1]);
  }
  factor.text = std::string(names[static_cast<size_t>(kind)]) + "(" + factor.operands[0].str() +
                ", " + factor.operands[1].str() + ")";
  SizeExpression made;
  made.sum.push_back({1, {std::move(factor)}});
  return made;
}

// Divides by a single term that divides each term of this expression.
std::optional<SizeExpression> SizeExpression::exactQuotient(const SizeExpression &divisor) const {
  if (divisor.sum.size() != 1) {
    return *this == divisor ? std::optional(SizeExpression(1)) : std::nullopt;
  }
  const Term &by = divisor.sum.front();
  std::vector<Term> terms;
  for (const Term &term : sum) {
    if (term.coefficient % by.coefficient != 0) {
      return std::nullopt;
    }
    Term left = {term.coefficient / by.coefficient, term.factors};
    for (const Factor &factor : by.factors) {
      auto found = std::find(left.factors.begin(), left.factors.end(), factor);
      if (found == left.factors.end()) {
        return std::nullopt;
      }
      left.factors.erase(found);
    }
    terms.push_back(std::move(left));
  }
  return ofTerms(std::move(terms));
}

static int64_t divideDown(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

SizeExpression SizeExpression::quotient(const SizeExpression &divisor) const {
  if (isBroken || divisor.isBroken || divisor.sum.empty()) {
    return broken();
  }
  std::optional<int64_t> by = divisor.constant();
  if (by == int64_t(-1)) {
    return *this * divisor;
  }
  if (auto exact = exactQuotient(divisor)) {
    return *exact;
  }
  if (!by || *by < 0) {
    auto value = constant();
    return by && value ? SizeExpression(divideDown(*value, *by))
                       : function(FactorKind::Quotient, *this, divisor);
  }
  // floor((c * x + y) / c) = x + floor(y / c)
  std::vector<Term> whole, rest;
  for (const Term &term : sum) {
    int64_t quotient = divideDown(term.coefficient, *by);
    whole.push_back({quotient, term.factors});
    rest.push_back({term.coefficient - quotient * *by, term.factors});
  }
  SizeExpression outside = ofTerms(std::move(whole)), inside = ofTerms(std::move(rest));
  if (inside.constant()) {
    return outside;
  }
  // floor((g * x + r) / (g * c)) = floor(x / c), where 0 <= r < g
  int64_t common = *by;
  for (const Term &term : inside.sum) {
    if (!term.factors.empty()) {
      common = std::gcd(common, term.coefficient);
    }
  }
  for (Term &term : inside.sum) {
    term.coefficient = divideDown(term.coefficient, common);
  }
  inside = ofTerms(std::move(inside.sum));
  return outside + function(FactorKind::Quotient, inside, SizeExpression(*by / common));
}

SizeExpression SizeExpression::ceilQuotient(const SizeExpression &divisor) const {
  return (*this + (divisor - 1)).quotient(divisor);
}

SizeExpression SizeExpression::roundedUpTo(int64_t multiple) const {
  return ceilQuotient(multiple) * multiple;
}

SizeExpression SizeExpression::remainder(const SizeExpression &divisor) const {
  return *this - divisor * quotient(divisor);
}

SizeExpression SizeExpression::larger(const SizeExpression &a, const SizeExpression &b) {
  if (!a.isValid() || !b.isValid()) {
    return broken();
  }
  if (auto difference = (a - b).constant()) {
    return *difference >= 0 ? a : b;
  }
  return function(FactorKind::Larger, a, b);
}

SizeExpression SizeExpression::smaller(const SizeExpression &a, const SizeExpression &b) {
  if (!a.isValid() || !b.isValid()) {
    return broken();
  }
  if (auto difference = (a - b).constant()) {
    return *difference <= 0 ? a : b;
  }
  return function(FactorKind::Smaller, a, b);
}

//===- symbols ----------------------------------------------------------------------===//

void SizeExpression::collectSymbols(std::vector<std::string> &names) const {
  for (const Term &term : sum) {
    for (const Factor &factor : term.factors) {
      if (factor.kind == FactorKind::Symbol) {
        names.push_back(factor.text);
      }
      for (const SizeExpression &operand : factor.operands) {
        operand.collectSymbols(names);
      }
    }
  }
}

std::vector<std::string> SizeExpression::symbols() const {
  std::vector<std::string> names;
  collectSymbols(names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

static std::optional<int64_t> apply(FactorKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case FactorKind::Quotient:
    if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) {
      return std::nullopt;
    }
    return divideDown(a, b);
  case FactorKind::Larger:
    return std::max(a, b);
  case FactorKind::Smaller:
    return std::min(a, b);
  case FactorKind::Symbol:
    break;
  }
  return std::nullopt;
}

static std::optional<int64_t> valueOf(const Factor &factor, const SizeExpression::Values &values) {
  if (factor.kind == FactorKind::Symbol) {
    return values(factor.text);
  }
  std::optional<int64_t> a = factor.operands[0].evaluate(values);
  std::optional<int64_t> b = factor.operands[1].evaluate(values);
  return a && b ? apply(factor.kind, *a, *b) : std::nullopt;
}

std::optional<int64_t> SizeExpression::evaluate(const Values &values) const {
  if (isBroken) {
    return std::nullopt;
  }
  int64_t total = 0;
  for (const Term &term : sum) {
    int64_t product = term.coefficient;
    for (const Factor &factor : term.factors) {
      std::optional<int64_t> value = valueOf(factor, values);
      if (!value || __builtin_mul_overflow(product, *value, &product)) {
        return std::nullopt;
      }
    }
    if (__builtin_add_overflow(total, product, &total)) {
      return std::nullopt;
    }
  }
  return total;
}

SizeExpression SizeExpression::substitute(std::string_view symbol, const SizeExpression &by) const {
  if (isBroken) {
    return *this;
  }
  SizeExpression made;
  for (const Term &term : sum) {
    SizeExpression product(term.coefficient);
    for (const Factor &factor : term.factors) {
      SizeExpression value;
      if (factor.kind == FactorKind::Symbol) {
        value = factor.text == symbol ? by : SizeExpression::symbol(factor.text);
      } else {
        SizeExpression a = factor.operands[0].substitute(symbol, by);
        SizeExpression b = factor.operands[1].substitute(symbol, by);
        value = factor.kind == FactorKind::Quotient ? a.quotient(b)
                : factor.kind == FactorKind::Larger ? larger(a, b)
                                                    : smaller(a, b);
      }
      product = product * value;
    }
    made = made + product;
  }
  return made;
}

//===- ranges -----------------------------------------------------------------------===//

// The extreme numbers represent infinities.
static int64_t multiplyBounds(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) {
    return product;
  }
  return (a < 0) == (b < 0) ? endless : -endless;
}

static int64_t addBounds(int64_t a, int64_t b) {
  if (a == endless || b == endless) {
    return endless;
  }
  if (a == -endless || b == -endless) {
    return -endless;
  }
  int64_t total = 0;
  return __builtin_add_overflow(a, b, &total) ? (a < 0 ? -endless : endless) : total;
}

static Range multiplyRanges(Range a, Range b) {
  std::array<int64_t, 4> corners = {
      multiplyBounds(a.first, b.first), multiplyBounds(a.first, b.second),
      multiplyBounds(a.second, b.first), multiplyBounds(a.second, b.second)};
  return {*std::min_element(corners.begin(), corners.end()),
          *std::max_element(corners.begin(), corners.end())};
}

static Range rangeOf(const Factor &factor, const SizeExpression::Ranges &ranges) {
  if (factor.kind == FactorKind::Symbol) {
    return ranges(factor.text);
  }
  Range a = factor.operands[0].range(ranges), b = factor.operands[1].range(ranges);
  if (factor.kind == FactorKind::Larger) {
    return {std::max(a.first, b.first), std::max(a.second, b.second)};
  }
  if (factor.kind == FactorKind::Smaller) {
    return {std::min(a.first, b.first), std::min(a.second, b.second)};
  }
  if (b.first <= 0) {
    return {-endless, endless};
  }
  // A larger divisor gives a quotient closer to zero.
  auto divide = [](int64_t bound, int64_t divisor) {
    return bound == endless || bound == -endless ? bound : divideDown(bound, divisor);
  };
  return {a.first < 0 ? divide(a.first, b.first) : divide(a.first, b.second),
          a.second < 0 ? divide(a.second, b.second) : divide(a.second, b.first)};
}

static Range addRanges(Range a, Range b) {
  return {addBounds(a.first, b.first), addBounds(a.second, b.second)};
}

// Finds in the expression a multiple of a remainder x - c * floordiv(x, c), whose value is from 0
// to c - 1. Returns the expression without this multiple, and the range of the multiple.
static std::optional<std::pair<SizeExpression, Range>>
withoutRemainder(const SizeExpression &size) {
  for (const Term &term : size.terms()) {
    bool isQuotient = term.factors.size() == 1 && term.factors.front().kind == FactorKind::Quotient;
    std::optional<int64_t> by =
        isQuotient ? term.factors.front().operands[1].constant() : std::nullopt;
    if (!by || *by <= 0 || term.coefficient % *by != 0) {
      continue;
    }
    SizeExpression times(-(term.coefficient / *by));
    SizeExpression rest = size - times * term.factors.front().operands[0].remainder(*by);
    if (rest.isValid() && rest.terms().size() < size.terms().size()) {
      return std::pair(rest, multiplyRanges({*times.constant(), *times.constant()}, {0, *by - 1}));
    }
  }
  return std::nullopt;
}

// Computes the range of an expression with a term c * floordiv(x, k) from the range of k times the
// expression. In that multiple the term is c * (x - r), where r is from 0 to k - 1, and x may
// cancel. For example, this shows that x - floordiv(x, 2) isn't negative if x isn't.
static std::optional<Range> rangeByMultiple(const SizeExpression &size,
                                            const SizeExpression::Ranges &ranges) {
  for (const Term &term : size.terms()) {
    bool isQuotient = term.factors.size() == 1 && term.factors.front().kind == FactorKind::Quotient;
    std::optional<int64_t> by =
        isQuotient ? term.factors.front().operands[1].constant() : std::nullopt;
    if (!by || *by <= 0) {
      continue;
    }
    const SizeExpression &divided = term.factors.front().operands[0];
    SizeExpression quotient = divided.quotient(*by);
    SizeExpression multiple = (size - quotient * term.coefficient) * *by;
    multiple = multiple + divided * term.coefficient;
    if (!multiple.isValid() || multiple.terms().size() > size.terms().size()) {
      continue;
    }
    Range rest = multiplyRanges({-term.coefficient, -term.coefficient}, {0, *by - 1});
    auto [low, high] = addRanges(multiple.range(ranges), rest);
    return Range(low == -endless ? low : -divideDown(-low, *by),
                 high == endless ? high : divideDown(high, *by));
  }
  return std::nullopt;
}

Range SizeExpression::range(const Ranges &ranges) const {
  if (isBroken) {
    return {-endless, endless};
  }
  if (auto split = withoutRemainder(*this)) {
    return addRanges(split->first.range(ranges), split->second);
  }
  Range total = {0, 0};
  for (const Term &term : sum) {
    Range product = {term.coefficient, term.coefficient};
    for (const Factor &factor : term.factors) {
      product = multiplyRanges(product, rangeOf(factor, ranges));
    }
    total = addRanges(total, product);
  }
  if (auto other = rangeByMultiple(*this, ranges)) {
    total = {std::max(total.first, other->first), std::min(total.second, other->second)};
  }
  return total;
}

//===- text -------------------------------------------------------------------------===//

std::string SizeExpression::str() const {
  if (isBroken) {
    return "?";
  }
  std::string text;
  for (const Term &term : sum) {
    bool isNegative = term.coefficient < 0;
    text += text.empty() ? (isNegative ? "-" : "") : (isNegative ? " - " : " + ");
    std::string digits = std::to_string(term.coefficient);
    std::string magnitude = isNegative ? digits.substr(1) : digits;
    bool isWritten = magnitude != "1" || term.factors.empty();
    text += isWritten ? magnitude : "";
    for (size_t i = 0; i < term.factors.size(); ++i) {
      text += (isWritten || i != 0 ? " * " : "") + term.factors[i].text;
    }
  }
  return text.empty() ? "0" : text;
}

std::string str(const std::vector<SizeExpression> &sizes) {
  std::string text;
  for (const SizeExpression &size : sizes) {
    text += (text.empty() ? "" : ", ") + size.str();
  }
  return text;
}

static bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool SizeExpression::isName(std::string_view text) {
  return !text.empty() && isNameStart(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return isNameStart(c) || isDigit(c); });
}

namespace {
// A recursive-descent parser; functions may nest at most maxDepth deep.
class SizeParser {
public:
  explicit SizeParser(std::string_view text) : text(text) {}

  std::optional<std::vector<SizeExpression>> list() {
    std::vector<SizeExpression> sizes;
    skipSpace();
    while (at < text.size()) {
      std::optional<SizeExpression> size = sum();
      if (!size) {
        return std::nullopt;
      }
      sizes.push_back(*size);
      if (at < text.size() && (!take(',') || at == text.size())) {
        return std::nullopt;
      }
    }
    return sizes;
  }

private:
  static constexpr int maxDepth = 32;

  void skipSpace() {
    while (at < text.size() && text[at] == ' ') {
      ++at;
    }
  }

  bool take(char c) {
    if (at == text.size() || text[at] != c) {
      return false;
    }
    ++at;
    skipSpace();
    return true;
  }

  std::optional<SizeExpression> sum() {
    SizeExpression made;
    bool isNegative = take('-');
    do {
      std::optional<SizeExpression> next = product();
      if (!next) {
        return std::nullopt;
      }
      made = isNegative ? made - *next : made + *next;
      isNegative = take('-');
    } while (isNegative || take('+'));
    return made.isValid() ? std::optional(made) : std::nullopt;
  }

  std::optional<SizeExpression> product() {
    SizeExpression made(1);
    do {
      std::optional<SizeExpression> next = factor();
      if (!next) {
        return std::nullopt;
      }
      made = made * *next;
    } while (take('*'));
    return made;
  }

  std::optional<SizeExpression> factor() {
    size_t begin = at;
    while (at < text.size() && (isDigit(text[at]) || isNameStart(text[at]))) {
      ++at;
    }
    std::string_view word = text.substr(begin, at - begin);
    skipSpace();
    if (SizeExpression::isName(word)) {
      return take('(') ? functionOf(word) : std::optional(SizeExpression::symbol(word));
    }
    int64_t value = 0;
    for (char c : word) {
      if (!isDigit(c) || __builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(c - '0'), &value)) {
        return std::nullopt;
      }
    }
    return word.empty() ? std::nullopt : std::optional(SizeExpression(value));
  }

  std::optional<SizeExpression> functionOf(std::string_view name) {
    if (++depth > maxDepth) {
      return std::nullopt;
    }
    std::optional<SizeExpression> a = sum();
    std::optional<SizeExpression> b = a && take(',') ? sum() : std::nullopt;
    --depth;
    if (!b || !take(')')) {
      return std::nullopt;
    }
    SizeExpression made = name == "floordiv" ? a->quotient(*b)
                          : name == "mod"    ? a->remainder(*b)
                          : name == "max"    ? SizeExpression::larger(*a, *b)
                          : name == "min"    ? SizeExpression::smaller(*a, *b)
                                             : SizeExpression::symbol("");
    bool isKnown = made.isValid() && made.asSymbol() != "";
    return isKnown ? std::optional(made) : std::nullopt;
  }

  std::string_view text;
  size_t at = 0;
  int depth = 0;
};
} // namespace

std::optional<std::vector<SizeExpression>> SizeExpression::parseList(std::string_view text) {
  return SizeParser(text).list();
}

std::optional<SizeExpression> SizeExpression::parse(std::string_view text) {
  auto sizes = parseList(text);
  return sizes && sizes->size() == 1 ? std::optional(sizes->front()) : std::nullopt;
}

} // namespace drumlin

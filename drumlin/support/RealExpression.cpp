#include "drumlin/support/RealExpression.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace drumlin {

using Power = RealExpression::Power;
using Term = RealExpression::Term;

// The limit on terms; no activation reaches it.
static constexpr size_t maxTerms = 64;
static constexpr int maxExponent = 32;
// The rounding error of arithmetic on constants in f64.
static constexpr double roundoff = 0x1p-48;

bool areNear(const Coefficient &a, const Coefficient &b) {
  double scale = std::max(std::abs(a.value), std::abs(b.value));
  return a.value == b.value ||
         std::abs(a.value - b.value) <= std::max(a.slack, b.slack) + roundoff * scale;
}

static Coefficient product(const Coefficient &a, const Coefficient &b) {
  return {a.value * b.value,
          std::abs(a.value) * b.slack + std::abs(b.value) * a.slack + a.slack * b.slack};
}

static bool isSameBase(const Power &a, const Power &b) {
  return a.function == b.function && (!a.argument || a.argument->isSame(*b.argument));
}

static bool isSamePowers(const std::vector<Power> &a, const std::vector<Power> &b) {
  // Powers of the same function may be in either order.
  return std::ranges::is_permutation(a, b, [](const Power &x, const Power &y) {
    return x.exponent == y.exponent && isSameBase(x, y);
  });
}

RealExpression RealExpression::constant(Coefficient value) {
  if (std::isnan(value.value)) {
    return unknown();
  }
  Term term;
  term.coefficient = value;
  return ofTerm(std::move(term));
}

RealExpression RealExpression::number(std::string_view name) {
  Term term;
  term.coefficient.value = 1;
  term.powers.push_back({name, nullptr, 1});
  return ofTerm(std::move(term));
}

RealExpression RealExpression::unknown() {
  RealExpression made;
  made.known = false;
  return made;
}

// Returns a text of functions and exponents that identifies the powers, without constants.
static std::string keyOf(const std::vector<Power> &powers, const auto &keyOfArgument) {
  std::string key;
  for (const Power &power : powers) {
    key += std::string(power.function) + "^" + std::to_string(power.exponent);
    key += power.argument ? "(" + keyOfArgument(*power.argument) + ")" : "";
  }
  return key;
}

RealExpression RealExpression::ofTerm(Term term) {
  RealExpression made;
  made.add(std::move(term));
  return made;
}

void RealExpression::add(Term term) {
  if (term.coefficient.value == 0) {
    return;
  }
  auto keyOfArgument = [](const RealExpression &argument) {
    std::string key;
    for (const Term &each : argument.terms) {
      key += each.key + "+";
    }
    return key;
  };
  std::ranges::sort(term.powers, {},
                    [&](const Power &power) { return keyOf({power}, keyOfArgument); });
  term.key = keyOf(term.powers, keyOfArgument);
  auto place = std::ranges::lower_bound(terms, term.key, {}, &Term::key);
  for (auto same = place; same != terms.end() && same->key == term.key; ++same) {
    if (isSamePowers(same->powers, term.powers)) {
      same->coefficient.value += term.coefficient.value;
      same->coefficient.slack += term.coefficient.slack;
      if (same->coefficient.value == 0) {
        terms.erase(same);
      }
      return;
    }
  }
  terms.insert(place, std::move(term));
  known &= terms.size() <= maxTerms;
}

std::optional<Coefficient> RealExpression::asConstant() const {
  if (!known || terms.size() > 1 || (terms.size() == 1 && !terms.front().powers.empty())) {
    return std::nullopt;
  }
  return terms.empty() ? Coefficient() : terms.front().coefficient;
}

std::optional<RealExpression::Line> RealExpression::asLine() const {
  Line line;
  for (const Term &term : terms) {
    bool isSlope = term.powers.size() == 1 && term.powers.front().function == "x" &&
                   term.powers.front().exponent == 1;
    if (!isSlope && !term.powers.empty()) {
      return std::nullopt;
    }
    (isSlope ? line.slope : line.offset) = term.coefficient;
  }
  return known ? std::optional(line) : std::nullopt;
}

static double call(std::string_view function, double x) {
  return function == "exponential"  ? std::exp(x)
         : function == "logistic"   ? 1 / (1 + std::exp(-x))
         : function == "erf"        ? std::erf(x)
         : function == "log"        ? std::log(x)
         : function == "sqrt"       ? std::sqrt(x)
         : function == "rsqrt"      ? 1 / std::sqrt(x)
         : function == "reciprocal" ? 1 / x
                                    : std::numeric_limits<double>::quiet_NaN();
}

double RealExpression::at(double x) const {
  double sum = known ? 0 : std::numeric_limits<double>::quiet_NaN();
  for (const Term &term : terms) {
    double value = term.coefficient.value;
    for (const Power &power : term.powers) {
      double base = power.argument          ? call(power.function, power.argument->at(x))
                    : power.function == "x" ? x
                                            : 1;
      value *= std::pow(base, power.exponent);
    }
    sum += value;
  }
  return sum;
}

RealExpression RealExpression::plus(const RealExpression &other) const {
  RealExpression sum = *this;
  sum.known = known && other.known;
  for (const Term &term : other.terms) {
    sum.add(term);
  }
  // An infinite constant absorbs all other terms.
  for (const Term &term : sum.terms) {
    if (!std::isfinite(term.coefficient.value)) {
      return term.powers.empty() ? constant(term.coefficient) : unknown();
    }
  }
  return sum;
}

RealExpression RealExpression::times(double factor) const { return times(constant({factor, 0})); }

// Returns the integer n, from -4 to 4, for which `argument` is n times `other`; 0 if there is none.
static int timesOf(const RealExpression &argument, const RealExpression &other) {
  for (int factor : {1, -1, 2, -2, 3, -3, 4, -4}) {
    if (argument.isSame(other.times(factor))) {
      return factor;
    }
  }
  return 0;
}

RealExpression RealExpression::product(const Term &left, const Term &right) {
  Term made;
  made.coefficient = drumlin::product(left.coefficient, right.coefficient);
  made.powers = left.powers;
  for (const Power &power : right.powers) {
    auto same = std::ranges::find_if(made.powers,
                                     [&](const Power &each) { return isSameBase(each, power); });
    auto exponential = std::ranges::find(made.powers, "exponential", &Power::function);
    if (power.function == "exponential" && exponential != made.powers.end()) {
      RealExpression both = exponential->argument->plus(*power.argument);
      made.powers.erase(exponential);
      if (!both.terms.empty()) {
        made.powers.push_back({power.function, std::make_shared<RealExpression>(both), 1});
      }
    } else if (same == made.powers.end()) {
      made.powers.push_back(power);
    } else if ((same->exponent += power.exponent) == 0) {
      made.powers.erase(same);
    } else if (std::abs(same->exponent) > maxExponent) {
      return unknown();
    }
  }
  // exp(p) logistic(p) = exp(p) - logistic(p), exp(-p) logistic(p) = 1 - logistic(p)
  auto exponential = std::ranges::find(made.powers, "exponential", &Power::function);
  for (Power &gate : made.powers) {
    if (exponential == made.powers.end() || gate.function != "logistic" || gate.exponent < 1) {
      continue;
    }
    int factor = timesOf(*exponential->argument, *gate.argument);
    if (factor == 0) {
      continue;
    }
    const RealExpression &p = *gate.argument;
    RealExpression once = p.functionOf("logistic");
    RealExpression replaced = factor > 0 ? p.applied("exponential").plus(once.times(-1))
                                         : constant({1, 0}).plus(once.times(-1));
    RealExpression less = p.times(factor > 0 ? factor - 1 : factor + 1).applied("exponential");
    Term rest = made;
    rest.powers.erase(rest.powers.begin() + (exponential - made.powers.begin()));
    auto place = std::ranges::find_if(rest.powers,
                                      [&](const Power &each) { return isSameBase(each, gate); });
    if (--place->exponent == 0) {
      rest.powers.erase(place);
    }
    return ofTerm(std::move(rest)).times(replaced).times(less);
  }
  return ofTerm(std::move(made));
}

RealExpression RealExpression::times(const RealExpression &other) const {
  RealExpression sum;
  sum.known = known && other.known;
  for (const Term &left : terms) {
    for (const Term &right : other.terms) {
      sum = sum.plus(product(left, right));
      if (!sum.known) {
        return unknown();
      }
    }
  }
  return sum;
}

static Term inverseOf(Term term) {
  double value = term.coefficient.value;
  term.coefficient = {1 / value, term.coefficient.slack / (value * value)};
  for (Power &power : term.powers) {
    if (power.function == "exponential") {
      power.argument = std::make_shared<RealExpression>(power.argument->times(-1));
    } else {
      power.exponent = -power.exponent;
    }
  }
  return term;
}

RealExpression RealExpression::inverse() const {
  if (!known || terms.empty()) {
    return unknown();
  }
  if (terms.size() == 1) {
    return std::isfinite(terms.front().coefficient.value) ? ofTerm(inverseOf(terms.front()))
                                                          : RealExpression();
  }
  // 1 / (a + a exp(p)) = logistic(-p) / a
  for (size_t first = 0; first < 2 && terms.size() == 2; ++first) {
    RealExpression a = ofTerm(inverseOf(terms[first]));
    RealExpression ratio = a.times(ofTerm(terms[1 - first]));
    bool isExponential = ratio.terms.size() == 1 && ratio.terms.front().powers.size() == 1 &&
                         ratio.terms.front().powers.front().function == "exponential" &&
                         areNear(ratio.terms.front().coefficient, {1, 0});
    if (isExponential) {
      const RealExpression &p = *ratio.terms.front().powers.front().argument;
      return p.times(-1).applied("logistic").times(a);
    }
  }
  // Scales one coefficient to 1, so that the inverses of two multiples of an expression are
  // multiples of each other.
  RealExpression scale = constant(inverseOf(terms.front()).coefficient);
  return times(scale).functionOf("reciprocal").times(scale);
}

RealExpression RealExpression::functionOf(std::string_view name) const {
  Term term;
  term.coefficient.value = 1;
  term.powers.push_back({name, std::make_shared<RealExpression>(*this), 1});
  return ofTerm(std::move(term));
}

RealExpression RealExpression::applied(std::string_view function) const {
  if (!known) {
    return unknown();
  }
  const RealExpression one = constant({1, 0});
  bool isNegative = !terms.empty() && terms.front().coefficient.value < 0;
  if (function == "exponential") {
    // A constant in the argument becomes a factor.
    RealExpression rest = *this;
    Coefficient factor = {1, 0};
    std::erase_if(rest.terms, [&](const Term &term) {
      if (term.powers.empty()) {
        double value = std::exp(term.coefficient.value);
        factor = {value, value * term.coefficient.slack};
      }
      return term.powers.empty();
    });
    return (rest.terms.empty() ? one : rest.functionOf(function)).times(constant(factor));
  }
  if (function == "exponential_minus_one") {
    return applied("exponential").plus(one.times(-1));
  }
  if (function == "log_plus_one") {
    return plus(one).applied("log");
  }
  if (function == "tanh") {
    return times(2).applied("logistic").times(2).plus(one.times(-1));
  }
  if (function == "erfc") {
    return one.plus(applied("erf").times(-1));
  }
  if (function == "square") {
    return times(*this);
  }
  if (function == "negate") {
    return times(-1);
  }
  if (std::optional<Coefficient> value = asConstant()) {
    // For other functions the propagation of a constant's slack is unknown.
    return constant({call(function, value->value), 0});
  }
  if (function == "logistic" && isNegative) {
    return one.plus(times(-1).applied(function).times(-1));
  }
  if (function == "erf" && isNegative) {
    return times(-1).applied(function).times(-1);
  }
  return functionOf(function);
}

bool RealExpression::isSame(const RealExpression &other) const {
  if (!known || !other.known || terms.size() != other.terms.size()) {
    return false;
  }
  return std::ranges::is_permutation(terms, other.terms, [](const Term &a, const Term &b) {
    return a.key == b.key && areNear(a.coefficient, b.coefficient) &&
           isSamePowers(a.powers, b.powers);
  });
}

} // namespace drumlin

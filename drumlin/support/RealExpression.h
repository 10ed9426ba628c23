// Smooth functions of one or two numbers as sums of products, so that a function is the same
// however a program spells it: `x / (1 + exp(-x))` and `x * logistic(x)` are one expression.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// A constant of a program stands for every number that rounds to it in its type.
struct Coefficient {
  double value = 0;
  double slack = 0; // how far from it those numbers lie
};

// Returns whether two constants may be one number.
bool areNear(const Coefficient &a, const Coefficient &b);

class RealExpression {
public:
  // One of the numbers, or a function of an expression, to a power.
  struct Power {
    std::string_view function; // "x" and "y" are the numbers
    std::shared_ptr<const RealExpression> argument;
    int exponent = 1;
  };
  struct Term {
    Coefficient coefficient;
    std::vector<Power> powers; // sorted by what they are powers of
    std::string key;           // the powers without constants, by which terms are sorted
  };

  RealExpression() = default; // 0
  static RealExpression constant(Coefficient value);
  static RealExpression number(std::string_view name); // "x" or "y"
  // Returns an expression that nothing is known of; all that is made of it is unknown, too.
  static RealExpression unknown();

  bool isKnown() const { return known; }
  // Returns the value if it doesn't depend on the numbers; infinite ones are constants, too.
  std::optional<Coefficient> asConstant() const;
  // Returns the line that the expression is, if it is one.
  struct Line { // slope * x + offset
    Coefficient slope, offset;
  };
  std::optional<Line> asLine() const;
  // Returns the value at (x, 1); NaN if it has a function that can't be evaluated.
  double at(double x) const;

  RealExpression plus(const RealExpression &other) const;
  RealExpression times(const RealExpression &other) const;
  RealExpression times(double factor) const;
  RealExpression inverse() const;
  // Applies a unary operation by StableHLO's or CHLO's name, which must outlive the expression. One
  // without rules stays a function that equals nothing but itself.
  RealExpression applied(std::string_view function) const;

  // Returns whether both have the same terms; constants may differ by the larger one's slack.
  bool isSame(const RealExpression &other) const;

private:
  void add(Term term);
  RealExpression functionOf(std::string_view name) const;
  static RealExpression ofTerm(Term term);
  static RealExpression product(const Term &left, const Term &right);

  bool known = true;
  std::vector<Term> terms;
};

} // namespace drumlin

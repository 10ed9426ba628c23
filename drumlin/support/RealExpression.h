// Smooth functions of one or two variables as sums of products, so that equivalent forms of a
// function give the same expression: `x / (1 + exp(-x))` equals `x * logistic(x)`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// A constant of a program, which stands for every number that rounds to it in its type.
struct Coefficient {
  double value = 0;
  double slack = 0; // the largest distance between `value` and such a number
};

// Returns whether two constants may represent the same number.
bool areNear(const Coefficient &a, const Coefficient &b);

class RealExpression {
public:
  // A power of a variable or of a function applied to an expression.
  struct Power {
    std::string_view function; // "x" and "y" stand for the variables
    std::shared_ptr<const RealExpression> argument;
    int exponent = 1;
  };
  struct Term {
    Coefficient coefficient;
    std::vector<Power> powers; // sorted by function and argument
    std::string key;           // text of `powers` without constants; sorts the terms
  };

  RealExpression() = default; // 0
  static RealExpression constant(Coefficient value);
  static RealExpression number(std::string_view name); // `name` is "x" or "y"
  // Returns an unknown expression; every expression computed from it is unknown, too.
  static RealExpression unknown();

  bool isKnown() const { return known; }
  // Returns the value if it doesn't depend on the variables; it may be infinite.
  std::optional<Coefficient> asConstant() const;
  // Returns the slope and offset if the expression is linear in x.
  struct Line { // stands for slope * x + offset
    Coefficient slope, offset;
  };
  std::optional<Line> asLine() const;
  // Returns the value at (x, 1); NaN if it contains a function that can't be evaluated.
  double at(double x) const;

  RealExpression plus(const RealExpression &other) const;
  RealExpression times(const RealExpression &other) const;
  RealExpression times(double factor) const;
  RealExpression inverse() const;
  // Applies a unary operation by StableHLO's or CHLO's name, which must outlive the expression. An
  // operation without rules becomes an opaque function that equals only itself.
  RealExpression applied(std::string_view function) const;

  // Returns whether both expressions have the same terms. Two constants may differ by the larger
  // one of their slacks.
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

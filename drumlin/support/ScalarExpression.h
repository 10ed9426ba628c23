// A piecewise function, built from a program's operations: one smooth expression for each interval
// between the points where conditions change. It has one variable, or two if no condition depends
// on the second.
#pragma once

#include "drumlin/support/RealExpression.h"

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace drumlin {

class ScalarExpression {
public:
  static ScalarExpression x();
  static ScalarExpression y();
  static ScalarExpression unknown();
  // Returns a constant of a program. `significand`: the bits of its type's significand, including
  // the hidden one. Conditions are the constants 0 and 1.
  static ScalarExpression constant(double value, int significand);
  // Returns whether operation() supports an operation, by StableHLO's or CHLO's name.
  static bool hasOperation(std::string_view name, size_t operands);
  // Applies an operation in real arithmetic. The result is unknown if the operation isn't
  // arithmetic, or if a condition changes elsewhere than at the root of a linear function.
  static ScalarExpression operation(std::string_view name,
                                    std::span<const ScalarExpression> operands);
  // Compares in `direction`: EQ, NE, GE, GT, LE or LT.
  static ScalarExpression comparison(std::string_view direction, const ScalarExpression &left,
                                     const ScalarExpression &right);

  bool isKnown() const;
  // Returns the value at (x, 1); NaN if it is unknown.
  double at(double x) const;
  // Returns the points at which a condition changes.
  std::vector<double> breaks() const;
  // Returns whether the two are the same function, up to the rounding of programs' constants.
  bool isSame(const ScalarExpression &other) const;
  // Returns the smallest number of significand bits among the types of the constants; that of f64
  // if there is no constant.
  int significand() const { return bits; }
  // Returns the bounds if the function clamps x: it is x between the bounds, and the nearer bound
  // outside. A missing bound is infinite.
  struct Bounds {
    double low, high;
  };
  std::optional<Bounds> asClamp() const;

private:
  using Pieces = std::span<const RealExpression *const>;
  // Creates a function by applying `made` to the operands' pieces, interval by interval.
  static ScalarExpression combine(std::span<const ScalarExpression> operands,
                                  const std::function<RealExpression(Pieces)> &made);
  size_t changesUpTo(double place) const;
  void splitAt(Coefficient place);
  void tidy();

  int bits = 53;
  std::vector<Coefficient> changes;      // points in ascending order
  std::vector<RealExpression> pieces;    // one piece for each interval between changes
  std::vector<RealExpression> atChanges; // the function's values at the changes
};

} // namespace drumlin

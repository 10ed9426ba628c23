// A function of one number (or of two, where no condition depends on the second) by what a program
// writes: between the points where its conditions change, a smooth expression each.
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
  // Returns a constant of a program. `significand`: how many bits its type has, the hidden one
  // included. Conditions are the constants 0 and 1.
  static ScalarExpression constant(double value, int significand);
  // Returns whether operation() knows it, by StableHLO's or CHLO's name.
  static bool hasOperation(std::string_view name, size_t operands);
  // Applies an operation in real numbers. The result is unknown if it is none of arithmetic, or if
  // a condition changes elsewhere than at the root of a line.
  static ScalarExpression operation(std::string_view name,
                                    std::span<const ScalarExpression> operands);
  // Compares in `direction`: EQ, NE, GE, GT, LE or LT.
  static ScalarExpression comparison(std::string_view direction, const ScalarExpression &left,
                                     const ScalarExpression &right);

  bool isKnown() const;
  // Returns the value at (x, 1); NaN if it isn't known.
  double at(double x) const;
  // Returns the places at which a condition changes.
  std::vector<double> breaks() const;
  // Returns whether the two are the same function, up to what programs' constants are rounded by.
  bool isSame(const ScalarExpression &other) const;
  // Returns the fewest bits that a constant in it has; those of f64 if there is none.
  int significand() const { return bits; }
  // Returns the bounds of a function that is x within them and a bound outside; one that is missing
  // is infinite.
  struct Bounds {
    double low, high;
  };
  std::optional<Bounds> asClamp() const;

private:
  using Pieces = std::span<const RealExpression *const>;
  // Makes a function of others' pieces, interval by interval.
  static ScalarExpression combine(std::span<const ScalarExpression> operands,
                                  const std::function<RealExpression(Pieces)> &made);
  size_t changesUpTo(double place) const;
  void splitAt(Coefficient place);
  void tidy();

  int bits = 53;
  std::vector<Coefficient> changes;      // in ascending order
  std::vector<RealExpression> pieces;    // one more, of the intervals between them
  std::vector<RealExpression> atChanges; // what counts at each of them
};

} // namespace drumlin

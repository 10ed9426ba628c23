// A size, which may depend on symbols, and its nominal value, which determines costs and schedules.
// The nominal value is the size at the nominal values of the symbols. Most sizes are constants.
#pragma once

#include "drumlin/support/SizeExpression.h"

#include <optional>

namespace drumlin {

struct Size {
  int64_t nominal = 0;
  std::optional<SizeExpression> symbolic = std::nullopt; // nothing for a constant

  Size(int64_t size) : nominal(size) {} // NOLINT(google-explicit-constructor): numbers are sizes
  Size(int64_t nominal, const SizeExpression &size);

  SizeExpression expression() const { return symbolic ? *symbolic : SizeExpression(nominal); }
  // Whether the size is this number at every call.
  bool is(int64_t size) const { return !symbolic && nominal == size; }
  // Returns whether this size is a multiple of `size` for all values of the symbols.
  bool isMultipleOf(const Size &size) const;
  // Returns the number, or nothing if the size depends on symbols.
  std::optional<int64_t> constant() const {
    return symbolic ? std::nullopt : std::optional(nominal);
  }
  bool operator==(const Size &other) const { return expression() == other.expression(); }

  Size operator+(const Size &other) const;
  Size operator-(const Size &other) const;
  Size operator*(const Size &other) const;
  Size quotient(int64_t divisor) const;         // rounded down
  Size ceilQuotient(const Size &divisor) const; // rounded up
  static Size larger(const Size &a, const Size &b);
  static Size smaller(const Size &a, const Size &b);
};

} // namespace drumlin

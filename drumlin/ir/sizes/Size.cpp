#include "drumlin/ir/sizes/Size.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

namespace drumlin {

Size::Size(int64_t nominal, const SizeExpression &size) : nominal(nominal) {
  if (!size.constant()) {
    symbolic = size;
  }
}

bool Size::isMultipleOf(const Size &size) const {
  return expression().remainder(size.expression()).constant() == int64_t(0);
}

Size Size::operator+(const Size &other) const {
  return symbolic || other.symbolic
             ? Size(nominal + other.nominal, expression() + other.expression())
             : Size(nominal + other.nominal);
}
Size Size::operator-(const Size &other) const {
  return symbolic || other.symbolic
             ? Size(nominal - other.nominal, expression() - other.expression())
             : Size(nominal - other.nominal);
}
// Saturates, because the other dimensions of a shape with a dimension of size 0 may have any size.
static int64_t multiplySaturating(int64_t a, int64_t b) {
  int64_t product;
  if (!llvm::MulOverflow(a, b, product)) {
    return product;
  }
  using Limits = std::numeric_limits<int64_t>;
  return (a < 0) == (b < 0) ? Limits::max() : Limits::min();
}
Size Size::operator*(const Size &other) const {
  int64_t product = multiplySaturating(nominal, other.nominal);
  return symbolic || other.symbolic ? Size(product, expression() * other.expression())
                                    : Size(product);
}
Size Size::quotient(int64_t divisor) const {
  int64_t made = llvm::divideFloorSigned(nominal, divisor);
  return symbolic ? Size(made, symbolic->quotient(divisor)) : Size(made);
}
Size Size::ceilQuotient(const Size &divisor) const {
  int64_t made = llvm::divideCeilSigned(nominal, divisor.nominal);
  return symbolic || divisor.symbolic ? Size(made, expression().ceilQuotient(divisor.expression()))
                                      : Size(made);
}
Size Size::larger(const Size &a, const Size &b) {
  return {std::max(a.nominal, b.nominal), SizeExpression::larger(a.expression(), b.expression())};
}
Size Size::smaller(const Size &a, const Size &b) {
  return {std::min(a.nominal, b.nominal), SizeExpression::smaller(a.expression(), b.expression())};
}

} // namespace drumlin

#include "drumlin/ir/sizes/Size.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace drumlin {

Size::Size(int64_t nominal, const SizeExpression &size) : nominal(nominal) {
  if (!size.constant()) {
    symbolic = size;
  }
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
Size Size::operator*(const Size &other) const {
  return symbolic || other.symbolic
             ? Size(nominal * other.nominal, expression() * other.expression())
             : Size(nominal * other.nominal);
}
Size Size::quotient(int64_t divisor) const {
  int64_t made = llvm::divideFloorSigned(nominal, divisor);
  return symbolic ? Size(made, symbolic->quotient(divisor)) : Size(made);
}
Size Size::ceilQuotient(int64_t divisor) const {
  int64_t made = llvm::divideCeilSigned(nominal, divisor);
  return symbolic ? Size(made, symbolic->ceilQuotient(divisor)) : Size(made);
}
Size Size::larger(const Size &a, const Size &b) {
  return {std::max(a.nominal, b.nominal), SizeExpression::larger(a.expression(), b.expression())};
}
Size Size::smaller(const Size &a, const Size &b) {
  return {std::min(a.nominal, b.nominal), SizeExpression::smaller(a.expression(), b.expression())};
}

} // namespace drumlin

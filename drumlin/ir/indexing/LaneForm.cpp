#include "drumlin/ir/indexing/LaneForm.h"

#include <numeric>

using namespace mlir;

namespace drumlin {

LaneForm LaneForm::constant(int64_t value) {
  // Zero is a multiple of everything; a large power of two says so.
  return {false, 0, value == 0 ? int64_t(1) << 32 : std::abs(value)};
}

LaneForm sum(const LaneForm &a, const LaneForm &b) {
  if (a.varies || b.varies) {
    return LaneForm::varying();
  }
  return {false, a.stride + b.stride, std::gcd(a.alignment, b.alignment)};
}

LaneForm product(const LaneForm &a, int64_t c) {
  if (a.varies || c == 1) {
    return a;
  }
  if (c == 0) {
    return LaneForm::constant(0);
  }
  int64_t alignment = 0;
  if (__builtin_mul_overflow(a.alignment, std::abs(c), &alignment)) {
    alignment = a.alignment;
  }
  return {false, a.stride * c, alignment};
}

// Whether all lanes lie in one block of c: they don't pass a multiple of c.
static bool staysInBlock(const LaneForm &a, int64_t c, unsigned width) {
  if (a.stride < 0) {
    return false;
  }
  int64_t span = a.stride * (static_cast<int64_t>(width) - 1) + 1;
  return span <= std::gcd(a.alignment, c);
}

LaneDivision divisionOf(const LaneForm &a, int64_t c, unsigned width) {
  if (a.varies) {
    return LaneDivision::EachLane;
  }
  if (a.stride == 0 || staysInBlock(a, c, width)) {
    return LaneDivision::InBlock;
  }
  return a.stride % c == 0 ? LaneDivision::Steps : LaneDivision::EachLane;
}

LaneForm quotient(const LaneForm &a, int64_t c, unsigned width) {
  if (c == 1) {
    return a;
  }
  LaneDivision division = divisionOf(a, c, width);
  if (division == LaneDivision::EachLane) {
    return LaneForm::varying();
  }
  return {false, division == LaneDivision::Steps ? a.stride / c : 0,
          a.alignment % c == 0 ? a.alignment / c : 1};
}

LaneForm remainder(const LaneForm &a, int64_t c, unsigned width) {
  if (c == 1) {
    return LaneForm::constant(0);
  }
  LaneDivision division = divisionOf(a, c, width);
  if (division == LaneDivision::EachLane) {
    return LaneForm::varying();
  }
  return {false, division == LaneDivision::Steps ? 0 : a.stride, std::gcd(a.alignment, c)};
}

LaneForm laneForm(AffineExpr expression, ArrayRef<LaneForm> dims, ArrayRef<LaneForm> symbols,
                  unsigned width, llvm::function_ref<void(AffineExpr)> eachLane) {
  if (auto value = dyn_cast<AffineConstantExpr>(expression)) {
    return LaneForm::constant(value.getValue());
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expression)) {
    return dims[dim.getPosition()];
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression)) {
    return symbols[symbol.getPosition()];
  }
  auto binary = cast<AffineBinaryOpExpr>(expression);
  LaneForm left = laneForm(binary.getLHS(), dims, symbols, width, eachLane);
  if (expression.getKind() == AffineExprKind::Add) {
    return sum(left, laneForm(binary.getRHS(), dims, symbols, width, eachLane));
  }
  int64_t by = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (expression.getKind() == AffineExprKind::Mul) {
    return product(left, by);
  }
  LaneForm made = expression.getKind() == AffineExprKind::FloorDiv ? quotient(left, by, width)
                                                                   : remainder(left, by, width);
  if (made.varies && eachLane) {
    eachLane(expression);
  }
  return made;
}

} // namespace drumlin

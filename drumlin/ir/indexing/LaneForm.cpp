#include "drumlin/ir/indexing/LaneForm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace drumlin {

LaneForm LaneForm::constant(int64_t value) { return {false, 0, 0, value, {}}; }

// Normalizes a residue to 0 … alignment - 1; an alignment of 0 leaves it unchanged.
static int64_t reduced(int64_t residue, int64_t alignment) {
  return alignment == 0 ? residue : llvm::mod(residue, alignment);
}

// Stores the steps of the lanes, or a stride if they are equally spaced.
static LaneForm withSteps(LaneForm made, llvm::SmallVector<int64_t, 0> steps) {
  made.stride = steps.size() > 1 ? steps[1] - steps[0] : 0;
  made.steps.clear();
  for (auto [lane, step] : llvm::enumerate(steps)) {
    if (step != static_cast<int64_t>(lane) * made.stride) {
      made.stride = 0;
      made.steps = std::move(steps);
      break;
    }
  }
  return made;
}

LaneForm sum(const LaneForm &a, const LaneForm &b) {
  if (a.varies || b.varies) {
    return LaneForm::varying();
  }
  LaneForm made;
  made.alignment = std::gcd(a.alignment, b.alignment);
  made.residue = reduced(a.residue + b.residue, made.alignment);
  if (a.steps.empty() && b.steps.empty()) {
    made.stride = a.stride + b.stride;
    return made;
  }
  llvm::SmallVector<int64_t, 0> steps;
  for (unsigned lane = 0; lane < std::max(a.steps.size(), b.steps.size()); ++lane) {
    steps.push_back(a.step(lane) + b.step(lane));
  }
  return withSteps(made, std::move(steps));
}

LaneForm product(const LaneForm &a, int64_t c) {
  if (a.varies || c == 1) {
    return a;
  }
  if (c == 0) {
    return LaneForm::constant(0);
  }
  LaneForm made = a;
  made.stride *= c;
  for (int64_t &step : made.steps) {
    step *= c;
  }
  if (__builtin_mul_overflow(a.alignment, std::abs(c), &made.alignment) ||
      __builtin_mul_overflow(a.residue, c, &made.residue)) {
    made.alignment = 1;
    made.residue = 0;
  }
  made.residue = reduced(made.residue, made.alignment);
  return made;
}

// Whether all lanes are in the same block of c elements, that is, no lane passes a multiple of c.
static bool staysInBlock(const LaneForm &a, int64_t c, unsigned width) {
  int64_t block = std::gcd(a.alignment, c), first = 0, last = 0;
  for (unsigned lane : {1u, width - 1}) {
    first = std::min(first, a.step(lane));
    last = std::max(last, a.step(lane));
  }
  for (int64_t step : a.steps) {
    first = std::min(first, step);
    last = std::max(last, step);
  }
  int64_t base = llvm::mod(a.residue, block);
  return base + first >= 0 && base + last < block;
}

LaneDivision divisionOf(const LaneForm &a, int64_t c, unsigned width) {
  if (a.varies) {
    return LaneDivision::EachLane;
  }
  if (a.isUniform() || staysInBlock(a, c, width)) {
    return LaneDivision::InBlock;
  }
  if (a.steps.empty() && a.stride % c == 0) {
    return LaneDivision::Steps;
  }
  return a.alignment % c == 0 ? LaneDivision::Known : LaneDivision::EachLane;
}

LaneForm quotient(const LaneForm &a, int64_t c, unsigned width) {
  if (c == 1) {
    return a;
  }
  LaneDivision division = divisionOf(a, c, width);
  if (division == LaneDivision::EachLane) {
    return LaneForm::varying();
  }
  LaneForm made;
  bool isKnown = a.alignment % c == 0;
  int64_t ofResidue = llvm::divideFloorSigned(a.residue, c);
  made.alignment = isKnown ? a.alignment / c : 1;
  made.residue = isKnown ? ofResidue : 0;
  if (division == LaneDivision::Steps) {
    made.stride = a.stride / c;
  }
  if (division != LaneDivision::Known) {
    return made;
  }
  llvm::SmallVector<int64_t, 0> steps;
  for (unsigned lane = 0; lane < width; ++lane) {
    steps.push_back(llvm::divideFloorSigned(a.residue + a.step(lane), c) - ofResidue);
  }
  return withSteps(made, std::move(steps));
}

LaneForm remainder(const LaneForm &a, int64_t c, unsigned width) {
  if (c == 1) {
    return LaneForm::constant(0);
  }
  LaneDivision division = divisionOf(a, c, width);
  if (division == LaneDivision::EachLane) {
    return LaneForm::varying();
  }
  LaneForm made;
  // If the alignment is a multiple of c, the base's remainder is a constant.
  made.alignment = a.alignment % c == 0 ? 0 : std::gcd(a.alignment, c);
  made.residue = llvm::mod(a.residue, made.alignment == 0 ? c : made.alignment);
  if (division == LaneDivision::InBlock) {
    made.stride = a.stride;
    made.steps = a.steps;
  }
  if (division != LaneDivision::Known) {
    return made;
  }
  llvm::SmallVector<int64_t, 0> steps;
  for (unsigned lane = 0; lane < width; ++lane) {
    steps.push_back(llvm::mod(a.residue + a.step(lane), c) - made.residue);
  }
  return withSteps(made, std::move(steps));
}

// Maximum number of registers of a span. Loading more registers takes as long as loading each
// lane's element.
static constexpr int64_t maxSpanRegisters = 4;

std::optional<LaneSpan> spanOf(const LaneForm &form, ArrayRef<unsigned> of, unsigned width) {
  if (form.varies || form.isUniform() || of.empty()) {
    return std::nullopt;
  }
  LaneSpan span = {form.step(of.front()), form.step(of.front())};
  for (unsigned lane : of) {
    span.first = std::min(span.first, form.step(lane));
    span.last = std::max(span.last, form.step(lane));
  }
  return span.registers(width) <= maxSpanRegisters ? std::optional(span) : std::nullopt;
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

#include "drumlin/ir/indexing/AffineSimplifier.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace drumlin {

//===- sums ---------------------------------------------------------------------------===//

namespace {
// Orders expressions independently of their addresses in memory.
int compare(AffineExpr a, AffineExpr b) {
  if (a == b) {
    return 0;
  }
  auto rank = [](AffineExpr each) {
    return std::pair(static_cast<int>(each.getKind()),
                     isa<AffineDimExpr>(each)      ? cast<AffineDimExpr>(each).getPosition()
                     : isa<AffineSymbolExpr>(each) ? cast<AffineSymbolExpr>(each).getPosition()
                                                   : 0);
  };
  if (rank(a) != rank(b)) {
    return rank(a) < rank(b) ? -1 : 1;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(a)) {
    return constant.getValue() < cast<AffineConstantExpr>(b).getValue() ? -1 : 1;
  }
  auto left = cast<AffineBinaryOpExpr>(a), right = cast<AffineBinaryOpExpr>(b);
  int first = compare(left.getLHS(), right.getLHS());
  return first != 0 ? first : compare(left.getRHS(), right.getRHS());
}

// c + Σ factor × atom, where an atom is a dimension, a symbol, a quotient or a remainder.
struct Sum {
  SmallVector<std::pair<AffineExpr, int64_t>> terms;
  int64_t constant = 0;

  void add(AffineExpr atom, int64_t factor) {
    auto *found = llvm::find_if(terms, [&](const auto &term) { return term.first == atom; });
    if (found == terms.end()) {
      terms.push_back({atom, factor});
    } else if ((found->second += factor) == 0) {
      terms.erase(found);
    }
  }

  void addAll(AffineExpr expression, int64_t factor) {
    if (factor == 0) {
      return;
    }
    if (auto value = dyn_cast<AffineConstantExpr>(expression)) {
      constant += value.getValue() * factor;
    } else if (expression.getKind() == AffineExprKind::Add) {
      addAll(cast<AffineBinaryOpExpr>(expression).getLHS(), factor);
      addAll(cast<AffineBinaryOpExpr>(expression).getRHS(), factor);
    } else if (expression.getKind() == AffineExprKind::Mul) {
      auto product = cast<AffineBinaryOpExpr>(expression);
      addAll(product.getLHS(), factor * cast<AffineConstantExpr>(product.getRHS()).getValue());
    } else {
      add(expression, factor);
    }
  }

  int64_t factorOf(AffineExpr atom) const {
    auto *found = llvm::find_if(terms, [&](const auto &term) { return term.first == atom; });
    return found == terms.end() ? 0 : found->second;
  }

  AffineExpr expression(MLIRContext *context) {
    llvm::sort(terms, [](const auto &a, const auto &b) { return compare(a.first, b.first) < 0; });
    AffineExpr made = getAffineConstantExpr(0, context);
    for (auto [atom, factor] : terms) {
      made = made + atom * factor;
    }
    return made + constant;
  }
};
} // namespace

static Sum sumOf(AffineExpr expression) {
  Sum sum;
  sum.addAll(expression, 1);
  return sum;
}

// Splits a sum into multiple × quotient + remainder. The constant of the remainder is in 0 …
// multiple - 1.
static std::pair<Sum, Sum> partedBy(const Sum &sum, int64_t multiple) {
  Sum quotient, rest;
  for (auto [atom, factor] : sum.terms) {
    if (factor % multiple == 0) {
      quotient.terms.push_back({atom, factor / multiple});
    } else {
      rest.terms.push_back({atom, factor});
    }
  }
  quotient.constant = llvm::divideFloorSigned(sum.constant, multiple);
  rest.constant = llvm::mod(sum.constant, multiple);
  return {std::move(quotient), std::move(rest)};
}

namespace {
class Simplification {
public:
  Simplification(ArrayRef<int64_t> dims, ArrayRef<int64_t> symbols, MLIRContext *context)
      : dims(dims), symbols(symbols), context(context) {}

  std::pair<int64_t, int64_t> range(AffineExpr expression) const {
    switch (expression.getKind()) {
    case AffineExprKind::Constant: {
      int64_t value = cast<AffineConstantExpr>(expression).getValue();
      return {value, value};
    }
    case AffineExprKind::DimId:
      return upTo(dims[cast<AffineDimExpr>(expression).getPosition()]);
    case AffineExprKind::SymbolId:
      return upTo(symbols[cast<AffineSymbolExpr>(expression).getPosition()]);
    default:
      break;
    }
    auto binary = cast<AffineBinaryOpExpr>(expression);
    auto [low, high] = range(binary.getLHS());
    if (expression.getKind() == AffineExprKind::Add) {
      auto [otherLow, otherHigh] = range(binary.getRHS());
      return {low + otherLow, high + otherHigh};
    }
    int64_t constant = cast<AffineConstantExpr>(binary.getRHS()).getValue();
    if (expression.getKind() == AffineExprKind::Mul) {
      return std::minmax({low * constant, high * constant});
    }
    int64_t first = llvm::divideFloorSigned(low, constant);
    int64_t last = llvm::divideFloorSigned(high, constant);
    if (expression.getKind() == AffineExprKind::FloorDiv) {
      return {first, last};
    }
    assert(expression.getKind() == AffineExprKind::Mod && "an unexpected kind of expression");
    return first == last ? std::pair(low - first * constant, high - first * constant)
                         : std::pair<int64_t, int64_t>(0, constant - 1);
  }

  AffineExpr run(AffineExpr expression) const {
    Sum sum = collect(expression);
    return sum.expression(context);
  }

private:
  static std::pair<int64_t, int64_t> upTo(int64_t size) {
    return {0, std::max<int64_t>(size - 1, 0)};
  }

  std::pair<int64_t, int64_t> range(const Sum &sum) const {
    int64_t low = sum.constant, high = sum.constant;
    for (auto [atom, factor] : sum.terms) {
      auto [first, last] = range(atom);
      low += std::min(first * factor, last * factor);
      high += std::max(first * factor, last * factor);
    }
    return {low, high};
  }

  Sum collect(AffineExpr expression) const {
    Sum sum;
    for (auto [atom, factor] : sumOf(expression).terms) {
      AffineExpr made = atom;
      if (auto binary = dyn_cast<AffineBinaryOpExpr>(atom)) {
        int64_t divisor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
        Sum inner = collect(binary.getLHS());
        made = atom.getKind() == AffineExprKind::FloorDiv ? quotient(inner, divisor)
                                                          : remainder(inner, divisor);
      } else if (range(atom).second == 0) {
        continue;
      }
      sum.addAll(made, factor);
    }
    sum.constant += sumOf(expression).constant;
    while (joinQuotientAndRemainder(sum)) {
    }
    return sum;
  }

  // Returns the largest divisor m of `divisor` for which sum = m y + r with 0 <= r < m. Then ⌊sum /
  // divisor⌋ = ⌊y / (divisor / m)⌋, and sum mod divisor = m (y mod (divisor / m)) + r.
  int64_t separable(const Sum &sum, int64_t divisor) const {
    SmallVector<int64_t> candidates;
    for (auto [atom, factor] : sum.terms) {
      candidates.push_back(std::gcd(factor, divisor));
    }
    llvm::sort(candidates, std::greater<>());
    for (int64_t multiple : candidates) {
      auto [low, high] = range(partedBy(sum, multiple).second);
      if (low >= 0 && high < multiple) {
        return multiple;
      }
    }
    return 1;
  }

  AffineExpr quotient(const Sum &sum, int64_t divisor) const {
    auto [whole, rest] = partedBy(sum, divisor);
    auto [low, high] = range(rest);
    int64_t first = llvm::divideFloorSigned(low, divisor);
    if (first == llvm::divideFloorSigned(high, divisor)) {
      whole.constant += first;
      return whole.expression(context);
    }
    int64_t multiple = separable(rest, divisor);
    rest = partedBy(rest, multiple).first;
    divisor /= multiple;
    whole.addAll(quotientOfAtoms(rest, divisor), 1);
    return whole.expression(context);
  }

  // Applies two rules: ⌊(a + ⌊x / n⌋) / d⌋ = ⌊(n a + x) / (n d)⌋, and ⌊(x mod (d n)) / d⌋ = ⌊x / d⌋
  // mod n.
  AffineExpr quotientOfAtoms(Sum sum, int64_t divisor) const {
    for (auto [atom, factor] : sum.terms) {
      if (factor == 1 && atom.getKind() == AffineExprKind::FloorDiv) {
        auto inner = cast<AffineBinaryOpExpr>(atom);
        int64_t by = cast<AffineConstantExpr>(inner.getRHS()).getValue();
        sum.add(atom, -1);
        Sum scaled;
        scaled.addAll(sum.expression(context), by);
        scaled.addAll(inner.getLHS(), 1);
        return quotient(scaled, by * divisor);
      }
    }
    AffineExpr left = sum.expression(context);
    if (left.getKind() == AffineExprKind::Mod) {
      auto inner = cast<AffineBinaryOpExpr>(left);
      int64_t by = cast<AffineConstantExpr>(inner.getRHS()).getValue();
      if (by % divisor == 0) {
        return remainder(sumOf(quotient(sumOf(inner.getLHS()), divisor)), by / divisor);
      }
    }
    return left.floorDiv(divisor);
  }

  AffineExpr remainder(const Sum &sum, int64_t divisor) const {
    Sum rest = partedBy(sum, divisor).second;
    auto [low, high] = range(rest);
    int64_t first = llvm::divideFloorSigned(low, divisor);
    if (first == llvm::divideFloorSigned(high, divisor)) {
      rest.constant -= first * divisor;
      return rest.expression(context);
    }
    int64_t multiple = separable(rest, divisor);
    auto [inner, left] = partedBy(rest, multiple);
    divisor /= multiple;
    left.addAll(remainderOfAtoms(inner, divisor), multiple);
    return left.expression(context);
  }

  // Applies the rule (x mod (d n)) mod d = x mod d.
  AffineExpr remainderOfAtoms(Sum &sum, int64_t divisor) const {
    AffineExpr left = sum.expression(context);
    if (left.getKind() == AffineExprKind::Mod) {
      auto inner = cast<AffineBinaryOpExpr>(left);
      if (cast<AffineConstantExpr>(inner.getRHS()).getValue() % divisor == 0) {
        return remainder(sumOf(inner.getLHS()), divisor);
      }
    }
    return left % divisor;
  }

  // Rewrites c k ⌊y / k⌋ + c (y mod k) to c y. Returns whether the sum contains such a pair of
  // terms.
  bool joinQuotientAndRemainder(Sum &sum) const {
    for (auto [atom, factor] : SmallVector<std::pair<AffineExpr, int64_t>>(sum.terms)) {
      if (atom.getKind() != AffineExprKind::Mod) {
        continue;
      }
      auto remainder = cast<AffineBinaryOpExpr>(atom);
      int64_t divisor = cast<AffineConstantExpr>(remainder.getRHS()).getValue();
      Sum whole = sumOf(quotient(sumOf(remainder.getLHS()), divisor));
      bool isThere = llvm::all_of(whole.terms, [&](const auto &term) {
        return sum.factorOf(term.first) == term.second * factor * divisor;
      });
      if (!isThere || whole.terms.empty()) {
        continue;
      }
      sum.add(atom, -factor);
      sum.addAll(whole.expression(context), -factor * divisor);
      sum.addAll(remainder.getLHS(), factor);
      return true;
    }
    return false;
  }

  ArrayRef<int64_t> dims;
  ArrayRef<int64_t> symbols;
  MLIRContext *context;
};
} // namespace

std::pair<int64_t, int64_t> AffineSimplifier::range(AffineExpr expression) const {
  return Simplification(dims, symbols, context).range(expression);
}

AffineExpr AffineSimplifier::run(AffineExpr expression) const {
  return Simplification(dims, symbols, context).run(expression);
}

} // namespace drumlin

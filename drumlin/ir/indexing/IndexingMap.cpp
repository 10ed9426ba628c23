#include "drumlin/ir/indexing/IndexingMap.h"

#include "drumlin/ir/indexing/AffineSimplifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace mlir;

namespace drumlin {

//===- simplification -----------------------------------------------------------------===//

std::vector<int64_t> IndexingMap::symbolSizes() const {
  std::vector<int64_t> sizes;
  for (const Symbol &symbol : symbolList) {
    sizes.push_back(symbol.size);
  }
  return sizes;
}

void IndexingMap::simplify() {
  MLIRContext *context = affine.getContext();
  AffineSimplifier simplifier(resultSizes, symbolSizes(), context);
  auto made = [&](AffineExpr expression) { return simplifier.run(expression); };
  for (Symbol &symbol : symbolList) {
    isEmpty |= symbol.size == 0;
    if (symbol.source) {
      symbol.at = AffineMap::get(symbol.at.getNumDims(), symbol.at.getNumSymbols(),
                                 llvm::map_to_vector(symbol.at.getResults(), made), context);
    }
  }
  isEmpty |= llvm::is_contained(resultSizes, 0);
  affine = AffineMap::get(affine.getNumDims(), affine.getNumSymbols(),
                          llvm::map_to_vector(affine.getResults(), made), context);
  std::vector<Constraint> kept;
  for (Constraint &each : constraintList) {
    each.expression = made(each.expression);
    if (auto constant = dyn_cast<AffineConstantExpr>(each.expression)) {
      isEmpty |= constant.getValue() < each.low || constant.getValue() > each.high;
      continue;
    }
    auto [low, high] = simplifier.range(each.expression);
    each.low = std::max(each.low, low);
    each.high = std::min(each.high, high);
    isEmpty |= each.low > each.high;
    bool isKnown = each.low == low && each.high == high;
    if (!isKnown && !llvm::is_contained(kept, each)) {
      kept.push_back(each);
    }
  }
  constraintList = std::move(kept);
  dropUnusedSymbols();
  if (isEmpty) {
    constraintList.clear();
    symbolList.clear();
    affine = AffineMap::get(
        affine.getNumDims(), 0,
        SmallVector<AffineExpr>(readSizes.size(), getAffineConstantExpr(0, context)), context);
  }
}

void IndexingMap::dropUnusedSymbols() {
  MLIRContext *context = affine.getContext();
  auto count = static_cast<unsigned>(symbolList.size());
  llvm::SmallBitVector used(count);
  auto mark = [&](AffineExpr expression) {
    expression.walk([&](AffineExpr each) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(each)) {
        used.set(symbol.getPosition());
      }
    });
  };
  llvm::for_each(affine.getResults(), mark);
  llvm::for_each(constraintList, [&](const Constraint &each) { mark(each.expression); });
  for (unsigned i = count; i-- > 0;) {
    if (used[i] && symbolList[i].source) {
      llvm::for_each(symbolList[i].at.getResults(), mark);
    }
  }
  if (used.all()) {
    return;
  }
  SmallVector<AffineExpr> renumbered(count, getAffineConstantExpr(0, context));
  std::vector<Symbol> kept;
  for (unsigned i = 0; i < count; ++i) {
    if (!used[i]) {
      continue;
    }
    Symbol symbol = symbolList[i];
    auto before = static_cast<unsigned>(kept.size());
    if (symbol.source) {
      symbol.at = AffineMap::get(
          symbol.at.getNumDims(), before,
          llvm::map_to_vector(symbol.at.getResults(),
                              [&](AffineExpr each) { return each.replaceSymbols(renumbered); }),
          context);
    }
    renumbered[i] = getAffineSymbolExpr(before, context);
    kept.push_back(std::move(symbol));
  }
  symbolList = std::move(kept);
  auto renumber = [&](AffineExpr each) { return each.replaceSymbols(renumbered); };
  affine = AffineMap::get(affine.getNumDims(), static_cast<unsigned>(symbolList.size()),
                          llvm::map_to_vector(affine.getResults(), renumber), context);
  for (Constraint &each : constraintList) {
    each.expression = renumber(each.expression);
  }
}

//===- maps ---------------------------------------------------------------------------===//

IndexingMap::IndexingMap(ArrayRef<int64_t> sizes, ArrayRef<int64_t> operandSizes, AffineMap map,
                         std::vector<Symbol> symbols, std::vector<Constraint> constraints)
    : resultSizes(sizes.begin(), sizes.end()), readSizes(operandSizes.begin(), operandSizes.end()),
      affine(map), symbolList(std::move(symbols)), constraintList(std::move(constraints)) {
  assert(affine.getNumDims() == resultSizes.size() && affine.getNumResults() == readSizes.size() &&
         affine.getNumSymbols() == symbolList.size());
  simplify();
}

IndexingMap IndexingMap::identity(ArrayRef<int64_t> sizes, MLIRContext *context) {
  // The identity is built in simplified form, because it is by far the most frequent map.
  IndexingMap made;
  made.resultSizes = made.readSizes = sizes.vec();
  SmallVector<AffineExpr> index;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    index.push_back(size == 1 ? getAffineConstantExpr(0, context)
                              : getAffineDimExpr(static_cast<unsigned>(d), context));
  }
  made.affine = AffineMap::get(static_cast<unsigned>(sizes.size()), 0, index, context);
  return llvm::is_contained(sizes, 0) ? nothing(sizes, sizes, context) : made;
}

IndexingMap IndexingMap::whole(ArrayRef<int64_t> sizes, ArrayRef<int64_t> operandSizes,
                               MLIRContext *context) {
  IndexingBuilder made(sizes, operandSizes, context);
  for (size_t i = 0; i < operandSizes.size(); ++i) {
    made.at(i) = made.all(operandSizes[i]);
  }
  return made.finish();
}

IndexingMap IndexingMap::reshape(ArrayRef<int64_t> sizes, ArrayRef<int64_t> operandSizes,
                                 MLIRContext *context) {
  IndexingBuilder made(sizes, operandSizes, context);
  std::vector<AffineExpr> index;
  for (size_t d = 0; d < sizes.size(); ++d) {
    index.push_back(made.dim(d));
  }
  for (auto [d, each] : llvm::enumerate(reshapedIndex(sizes, index, operandSizes, context))) {
    made.at(d) = each;
  }
  return made.finish();
}

IndexingMap IndexingMap::nothing(ArrayRef<int64_t> sizes, ArrayRef<int64_t> operandSizes,
                                 MLIRContext *context) {
  IndexingBuilder made(sizes, operandSizes, context);
  made.constrain(made.constant(1), 0, 0);
  return made.finish();
}

IndexingMap IndexingMap::followedBy(const IndexingMap &producer) const {
  assert(producer.resultSizes == readSizes);
  MLIRContext *context = affine.getContext();
  auto own = static_cast<unsigned>(symbolList.size());
  SmallVector<AffineExpr> shifted;
  for (unsigned i = 0; i < producer.symbolList.size(); ++i) {
    shifted.push_back(getAffineSymbolExpr(own + i, context));
  }
  auto replaced = [&](AffineExpr each) {
    return each.replaceDimsAndSymbols(affine.getResults(), shifted);
  };
  std::vector<Symbol> symbols = symbolList;
  for (const Symbol &each : producer.symbolList) {
    Symbol symbol = each;
    if (symbol.source) {
      symbol.at = AffineMap::get(affine.getNumDims(), static_cast<unsigned>(symbols.size()),
                                 llvm::map_to_vector(each.at.getResults(), replaced), context);
    }
    symbols.push_back(std::move(symbol));
  }
  std::vector<Constraint> constraints = constraintList;
  for (const Constraint &each : producer.constraintList) {
    constraints.push_back({replaced(each.expression), each.low, each.high});
  }
  AffineMap map =
      AffineMap::get(affine.getNumDims(), static_cast<unsigned>(symbols.size()),
                     llvm::map_to_vector(producer.affine.getResults(), replaced), context);
  IndexingMap made(resultSizes, producer.readSizes, map, std::move(symbols),
                   std::move(constraints));
  if (isEmpty || producer.isEmpty) {
    made.isEmpty = true;
    made.simplify();
  }
  made.isNominal = isNominal || producer.isNominal;
  return made;
}

IndexingMap IndexingMap::ofNominalSizes() const {
  IndexingMap made = *this;
  made.isNominal = true;
  return made;
}

bool IndexingMap::isIdentity() const {
  if (!isPure() || resultSizes != readSizes) {
    return false;
  }
  // The index in a dimension of one element simplifies to 0.
  return llvm::all_of(llvm::enumerate(affine.getResults()), [&](auto result) {
    auto dim = dyn_cast<AffineDimExpr>(result.value());
    return dim ? dim.getPosition() == result.index() : resultSizes[result.index()] == 1;
  });
}

AffineExpr IndexingMap::position(ArrayRef<AffineExpr> index, ArrayRef<int64_t> sizes) const {
  AffineExpr made = getAffineConstantExpr(0, affine.getContext());
  for (auto [each, size] : llvm::zip(index, sizes)) {
    made = made * size + each;
  }
  return AffineSimplifier(resultSizes, symbolSizes(), affine.getContext()).run(made);
}

IndexingMap IndexingMap::unconstrained() const {
  IndexingMap made = *this;
  made.constraintList.clear();
  return made;
}

// Adds the constant factor of each dimension to `factors`, given a sum of dimensions times
// constants. Returns false for any other expression.
static bool addFactors(AffineExpr sum, SmallVectorImpl<int64_t> &factors) {
  if (auto dim = dyn_cast<AffineDimExpr>(sum)) {
    factors[dim.getPosition()] += 1;
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(sum)) {
    return constant.getValue() == 0;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(sum);
  if (binary && sum.getKind() == AffineExprKind::Add) {
    return addFactors(binary.getLHS(), factors) && addFactors(binary.getRHS(), factors);
  }
  auto dim = binary ? dyn_cast<AffineDimExpr>(binary.getLHS()) : AffineDimExpr(nullptr);
  if (!dim || sum.getKind() != AffineExprKind::Mul) {
    return false;
  }
  factors[dim.getPosition()] += cast<AffineConstantExpr>(binary.getRHS()).getValue();
  return true;
}

bool IndexingMap::keepsPositions() const {
  SmallVector<AffineExpr> index;
  for (size_t d = 0; d < resultSizes.size(); ++d) {
    index.push_back(getAffineDimExpr(static_cast<unsigned>(d), affine.getContext()));
  }
  auto count = [](ArrayRef<int64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
  };
  return isPure() && count(resultSizes) == count(readSizes) &&
         position() == position(index, resultSizes);
}

std::optional<SmallVector<int64_t>> IndexingMap::operandDimensions() const {
  SmallVector<int64_t> made(resultSizes.size(), -1);
  for (auto [from, index] : llvm::enumerate(affine.getResults())) {
    bool isFound = false;
    for (auto [d, dimension] : llvm::enumerate(made)) {
      if (!index.isFunctionOfDim(static_cast<unsigned>(d))) {
        continue;
      }
      if (isFound || dimension >= 0) {
        return std::nullopt;
      }
      dimension = static_cast<int64_t>(from);
      isFound = true;
    }
  }
  return made;
}

bool IndexingMap::transposes() const {
  std::optional<SmallVector<int64_t>> dimensions = operandDimensions();
  if (!dimensions) {
    return false;
  }
  llvm::erase(*dimensions, -1);
  return !llvm::is_sorted(*dimensions);
}

std::optional<IndexingMap> IndexingMap::inverse() const {
  auto marked = [&](const IndexingMap &map) { return isNominal ? map.ofNominalSizes() : map; };
  if (isEmpty) {
    return llvm::is_contained(readSizes, 0) && llvm::is_contained(resultSizes, 0)
               ? std::optional(marked(nothing(readSizes, resultSizes, affine.getContext())))
               : std::nullopt;
  }
  SmallVector<int64_t> factors(resultSizes.size(), 0);
  if (!isPure() || !addFactors(position(), factors)) {
    return std::nullopt;
  }
  SmallVector<std::pair<int64_t, size_t>> digits;
  for (auto [d, factor] : llvm::enumerate(factors)) {
    if (resultSizes[d] != 1) {
      digits.push_back({factor, d});
    }
  }
  llvm::sort(digits);
  // Together, the digits enumerate every position of the operand once.
  IndexingBuilder made(readSizes, resultSizes, affine.getContext());
  AffineExpr whole = made.constant(0);
  int64_t elements = 1;
  for (auto [d, size] : llvm::enumerate(readSizes)) {
    whole = whole * size + made.dim(d);
    elements *= size;
  }
  int64_t next = 1;
  for (auto [factor, d] : digits) {
    if (factor != next) {
      return std::nullopt;
    }
    made.at(d) = whole.floorDiv(factor) % resultSizes[d];
    next *= resultSizes[d];
  }
  return next == elements ? std::optional(marked(made.finish())) : std::nullopt;
}

std::pair<int64_t, int64_t> IndexingMap::range(AffineExpr expression) const {
  return AffineSimplifier(resultSizes, symbolSizes(), affine.getContext()).range(expression);
}

static int64_t evaluate(AffineExpr expression, ArrayRef<int64_t> dims, ArrayRef<int64_t> symbols) {
  switch (expression.getKind()) {
  case AffineExprKind::Constant:
    return cast<AffineConstantExpr>(expression).getValue();
  case AffineExprKind::DimId:
    return dims[cast<AffineDimExpr>(expression).getPosition()];
  case AffineExprKind::SymbolId:
    return symbols[cast<AffineSymbolExpr>(expression).getPosition()];
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expression);
  int64_t left = evaluate(binary.getLHS(), dims, symbols);
  int64_t right = evaluate(binary.getRHS(), dims, symbols);
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return left + right;
  case AffineExprKind::Mul:
    return left * right;
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(left, right);
  default:
    return llvm::mod(left, right);
  }
}

void IndexingMap::forEachRead(ArrayRef<int64_t> index, Load load,
                              llvm::function_ref<void(ArrayRef<int64_t>)> read) const {
  if (isEmpty) {
    return;
  }
  SmallVector<int64_t> values(symbolList.size(), 0);
  auto at = [&](ArrayRef<AffineExpr> expressions) {
    return llvm::map_to_vector(expressions,
                               [&](AffineExpr each) { return evaluate(each, index, values); });
  };
  std::function<void(size_t)> choose = [&](size_t next) {
    if (next < symbolList.size()) {
      const Symbol &symbol = symbolList[next];
      if (symbol.source) {
        values[next] =
            std::clamp<int64_t>(load(symbol, at(symbol.at.getResults())), 0, symbol.size - 1);
        choose(next + 1);
        return;
      }
      for (values[next] = 0; values[next] < symbol.size; ++values[next]) {
        choose(next + 1);
      }
      return;
    }
    for (const Constraint &each : constraintList) {
      int64_t value = evaluate(each.expression, index, values);
      if (value < each.low || value > each.high) {
        return;
      }
    }
    read(at(affine.getResults()));
  };
  choose(0);
}

std::string IndexingMap::str() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (isEmpty) {
    return "nothing";
  }
  out << "(";
  llvm::interleaveComma(llvm::seq<size_t>(0, resultSizes.size()), out,
                        [&](size_t i) { out << "d" << i; });
  out << ")";
  if (!symbolList.empty()) {
    out << "[";
    size_t number = 0;
    llvm::interleaveComma(symbolList, out, [&](const Symbol &symbol) {
      out << "s" << number++ << (symbol.source ? " loaded below " : " < ") << symbol.size;
    });
    out << "]";
  }
  out << " -> (";
  llvm::interleaveComma(affine.getResults(), out);
  out << ")";
  for (auto [i, each] : llvm::enumerate(constraintList)) {
    out << (i == 0 ? " where " : ", ") << each.low << " <= " << each.expression
        << " <= " << each.high;
  }
  return text;
}

//===- making maps --------------------------------------------------------------------===//

IndexingBuilder::IndexingBuilder(ArrayRef<int64_t> sizes, ArrayRef<int64_t> operandSizes,
                                 MLIRContext *context)
    : context(context), sizes(sizes.begin(), sizes.end()),
      operandSizes(operandSizes.begin(), operandSizes.end()),
      index(operandSizes.size(), getAffineConstantExpr(0, context)) {}

AffineExpr IndexingBuilder::dim(size_t resultDimension) const {
  return getAffineDimExpr(static_cast<unsigned>(resultDimension), context);
}

AffineExpr IndexingBuilder::constant(int64_t value) const {
  return getAffineConstantExpr(value, context);
}

AffineExpr IndexingBuilder::all(int64_t size) {
  symbols.push_back({size, Value(), AffineMap()});
  return getAffineSymbolExpr(static_cast<unsigned>(symbols.size() - 1), context);
}

AffineExpr IndexingBuilder::load(Value source, ArrayRef<AffineExpr> at, int64_t size) {
  AffineMap map = AffineMap::get(static_cast<unsigned>(sizes.size()),
                                 static_cast<unsigned>(symbols.size()), at, context);
  symbols.push_back({size, source, map});
  return getAffineSymbolExpr(static_cast<unsigned>(symbols.size() - 1), context);
}

void IndexingBuilder::constrain(AffineExpr expression, int64_t low, int64_t high) {
  constraints.push_back({expression, low, high});
}

AffineExpr IndexingBuilder::undilated(AffineExpr position, int64_t dilation, int64_t size) {
  if (size == 0) {
    constrain(constant(1), 0, 0);
    return constant(0);
  }
  constrain(position, 0, (size - 1) * dilation);
  if (dilation == 1) {
    return position;
  }
  constrain(position % dilation, 0, 0);
  return position.floorDiv(dilation);
}

IndexingMap IndexingBuilder::finish() const {
  AffineMap map = AffineMap::get(static_cast<unsigned>(sizes.size()),
                                 static_cast<unsigned>(symbols.size()), index, context);
  return {sizes, operandSizes, map, symbols, constraints};
}

// Visits the smallest groups of consecutive dimensions that have the same number of elements in
// both shapes. A group may include dimensions of size 1.
static void forEachGroup(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                         llvm::function_ref<void(size_t, size_t, size_t, size_t)> visit) {
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    size_t firstI = i, firstJ = j;
    int64_t left = i < from.size() ? from[i++] : 1;
    int64_t right = j < to.size() ? to[j++] : 1;
    while (left != right) {
      if (left < right) {
        left *= from[i++];
      } else {
        right *= to[j++];
      }
    }
    visit(firstI, i, firstJ, j);
  }
}

std::vector<AffineExpr> reshapedIndex(ArrayRef<int64_t> from, ArrayRef<AffineExpr> index,
                                      ArrayRef<int64_t> to, MLIRContext *context) {
  std::vector<AffineExpr> made(to.size(), getAffineConstantExpr(0, context));
  if (llvm::is_contained(from, 0)) {
    return made;
  }
  forEachGroup(from, to, [&](size_t firstFrom, size_t endFrom, size_t firstTo, size_t endTo) {
    AffineExpr position = getAffineConstantExpr(0, context);
    for (size_t i = firstFrom; i < endFrom; ++i) {
      position = position * from[i] + index[i];
    }
    int64_t stride = 1;
    for (size_t j = endTo; j-- > firstTo;) {
      made[j] = (position.floorDiv(stride)) % to[j];
      stride *= to[j];
    }
  });
  return made;
}

} // namespace drumlin

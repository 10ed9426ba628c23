#include "drumlin/ir/costs/SymbolicCost.h"

#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/sizes/InstantiateSizes.h"

#include <map>

using namespace mlir;

namespace drumlin {

// Maximum number of symbols. With more symbols, costs would have to be computed at too many sizes.
static constexpr size_t mostSymbols = 4;
// Smallest size at which counts are sampled, if the symbol's bounds allow it. Sizes of 1 are
// avoided because they would be broadcast.
static constexpr int64_t firstSize = 5;

using Exponents = std::vector<int>; // by symbol

// Returns all exponent vectors whose sum is at most the degree.
static std::vector<Exponents> exponents(size_t symbols) {
  std::vector<Exponents> made = {{}};
  for (size_t i = 0; i < symbols; ++i) {
    std::vector<Exponents> longer;
    for (const Exponents &each : made) {
      int left = symbolicDegree;
      for (int exponent : each) {
        left -= exponent;
      }
      for (int exponent = 0; exponent <= left; ++exponent) {
        longer.push_back(each);
        longer.back().push_back(exponent);
      }
    }
    made = std::move(longer);
  }
  return made;
}

static int64_t factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

// Divides all coefficients of the sum by the divisor; returns nothing if a division has a
// remainder.
static std::optional<SizeExpression> dividedBy(const SizeExpression &sum, int64_t divisor) {
  SizeExpression made;
  for (const SizeExpression::Term &term : sum.terms()) {
    if (term.coefficient % divisor != 0) {
      return std::nullopt;
    }
    SizeExpression product = term.coefficient / divisor;
    for (const SizeExpression::Factor &factor : term.factors) {
      product = product * SizeExpression::symbol(factor.text);
    }
    made = made + product;
  }
  return made;
}

namespace {
// Values of a count at the points base + exponents.
using Counts = std::map<Exponents, int64_t>;

class Interpolation {
public:
  Interpolation(ArrayRef<SizeSymbol> symbols, ArrayRef<int64_t> bases)
      : symbols(symbols), bases(bases) {}

  // Returns the sum over a of D^a binomial(x - base, a), where D^a are the forward differences of
  // the counts (D. Knuth, The Art of Computer Programming, 4.6.4, equation 25).
  std::optional<SizeExpression> of(const Counts &counts) const {
    int64_t scale = factorial(symbolicDegree); // a multiple of each binomial's divisor
    SizeExpression sum;
    for (const auto &[a, count] : counts) {
      int64_t divisor = 1;
      SizeExpression product = difference(counts, a);
      for (size_t i = 0; i < symbols.size(); ++i) {
        divisor *= factorial(a[i]);
        for (int step = 0; step < a[i]; ++step) {
          product =
              product * (SizeExpression::symbol(symbols[i].name) - SizeExpression(bases[i] + step));
        }
      }
      sum = sum + product * SizeExpression(scale / divisor);
    }
    return sum.isValid() ? dividedBy(sum, scale) : std::nullopt;
  }

private:
  static SizeExpression difference(const Counts &counts, const Exponents &a) {
    SizeExpression sum;
    for (const auto &[b, count] : counts) {
      int64_t factor = 1; // the product of (-1)^(a - b) binomial(a, b)
      for (size_t i = 0; i < a.size(); ++i) {
        factor *= b[i] > a[i] ? 0
                              : factorial(a[i]) / factorial(b[i]) / factorial(a[i] - b[i]) *
                                    ((a[i] - b[i]) % 2 == 0 ? 1 : -1);
      }
      if (factor != 0) {
        sum = sum + SizeExpression(count) * SizeExpression(factor);
      }
    }
    return sum;
  }

  ArrayRef<SizeSymbol> symbols;
  ArrayRef<int64_t> bases;
};

// One count of a plan, and where to store its expression.
struct Counted {
  std::function<int64_t(const PlanCost &)> count;
  std::optional<SizeExpression> *expression;
};
} // namespace

static std::vector<Counted> countsOf(PlanCost &costs) {
  std::vector<Counted> counts;
  auto add = [&](std::optional<SymbolicCost> &into,
                 const std::function<Cost(const PlanCost &)> &cost) {
    into.emplace();
    counts.push_back(
        {[=](const PlanCost &plan) { return cost(plan).modelFlops(); }, &into->modelFlops});
    counts.push_back(
        {[=](const PlanCost &plan) { return cost(plan).askedBytes(); }, &into->askedBytes});
    counts.push_back(
        {[=](const PlanCost &plan) { return cost(plan).otherBytes(); }, &into->otherBytes});
  };
  for (size_t i = 0; i < costs.launches.size(); ++i) {
    add(costs.launches[i].inSymbols,
        [i](const PlanCost &plan) { return plan.launches[i].total(); });
  }
  add(costs.inSymbols, [](const PlanCost &plan) { return plan.total; });
  counts.push_back(
      {[](const PlanCost &plan) { return plan.memory.total(); }, &costs.memoryInSymbols});
  return counts;
}

static std::string textOf(ArrayRef<SizeSymbol> symbols) {
  std::string text;
  for (const SizeSymbol &symbol : symbols) {
    text += (text.empty() ? "" : ", ") + symbol.name + " = " + std::to_string(symbol.nominal);
  }
  return text;
}

void addSymbolicCosts(ModuleOp module, PlanCost &costs) {
  func::FuncOp entry = entryFunction(module);
  std::vector<SizeSymbol> symbols = sizeSymbolsOf(entry);
  std::vector<SizeConstraint> constraints = sizeConstraintsOf(entry);
  costs.nominalSizes = textOf(symbols);
  if (symbols.empty() || symbols.size() > mostSymbols) {
    return;
  }
  auto priced = [&](const SizeExpression::Values &values) -> std::optional<PlanCost> {
    OwningOpRef<ModuleOp> other = module.clone();
    if (!isAllowed(symbols, constraints, values) || !changeNominalSizes(*other, values)) {
      return std::nullopt;
    }
    PlanCost cost = planCost(*other);
    return cost.launches.size() == costs.launches.size() ? std::optional(std::move(cost))
                                                         : std::nullopt;
  };
  SizeExpression::Values more = otherValues(symbols, constraints, OtherSizes::Larger);
  std::optional<PlanCost> atMore = priced(more);
  if (!atMore) {
    return;
  }
  std::vector<int64_t> bases;
  for (const SizeSymbol &symbol : symbols) {
    bases.push_back(std::max(std::min(firstSize, symbol.maximum - symbolicDegree), symbol.minimum));
  }
  std::vector<Counted> counted = countsOf(costs);
  std::vector<Counts> counts(counted.size());
  for (const Exponents &point : exponents(symbols.size())) {
    std::optional<PlanCost> cost = priced([&](std::string_view name) -> std::optional<int64_t> {
      for (size_t i = 0; i < symbols.size(); ++i) {
        if (symbols[i].name == name) {
          return bases[i] + point[i];
        }
      }
      return std::nullopt;
    });
    if (!cost) {
      return;
    }
    for (size_t i = 0; i < counted.size(); ++i) {
      counts[i][point] = counted[i].count(*cost);
    }
  }
  SizeExpression::Values nominal = nominalValues(symbols);
  Interpolation interpolation(symbols, bases);
  for (size_t i = 0; i < counted.size(); ++i) {
    std::optional<SizeExpression> sum = interpolation.of(counts[i]);
    if (sum && sum->evaluate(nominal) == counted[i].count(costs) &&
        sum->evaluate(more) == counted[i].count(*atMore)) {
      *counted[i].expression = sum;
    }
  }
}

} // namespace drumlin

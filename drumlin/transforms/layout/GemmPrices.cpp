#include "drumlin/transforms/layout/GemmPrices.h"

#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace mlir;

namespace drumlin {

int64_t GemmPrices::of(Operation *dot, const AssumedOrders &orders) {
  if (!target) {
    return 0;
  }
  GemmProblem problem(dot);
  auto typeOf = [](Value value) {
    return static_cast<int64_t>(elementTypeOf(getElementTypeOrSelf(value)));
  };
  // The cache key has all inputs of a schedule choice except the target.
  std::vector<int64_t> key = {typeOf(problem.lhs), typeOf(problem.rhs), problem.batch,
                              problem.m,           problem.n,           problem.k,
                              problem.sumBytes(),  orders.code()};
  for (const ComputeUnitInfo &each : computeUnits()) {
    key.push_back(problem.mayUse(each.unit));
  }
  auto [at, isNew] = known.try_emplace(std::move(key), 0);
  if (isNew) {
    double seconds =
        GemmChoice(dot, orders, *target, numerics).alternatives().front().cost.total() * 1e-9;
    at->second = static_cast<int64_t>(seconds * target->bytesPerSecond);
  }
  return at->second;
}

} // namespace drumlin

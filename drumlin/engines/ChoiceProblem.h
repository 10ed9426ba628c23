// Selects one choice for each variable such that the sum of costs is least. Each choice has a cost.
// If a constraint joins two variables, each pair of their choices has a cost, too. This is a
// partitioned Boolean quadratic problem. The reductions of variables with up to two neighbours are
// from Scholz and Eckstein, "Register Allocation for Irregular Architectures", 2002.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace drumlin {

// A lexicographic cost: `second` decides if `first` is equal. Sums saturate.
struct ChoiceCost {
  int64_t first = 0, second = 0;

  static ChoiceCost impossible();
  ChoiceCost operator+(const ChoiceCost &other) const;
  auto operator<=>(const ChoiceCost &) const = default;
};

class ChoiceProblem {
public:
  // Returns the variable's number. `costs` has at least one choice.
  size_t addVariable(std::vector<ChoiceCost> costs);
  // Adds a constraint. `costs[i * n + j]` is the cost of choice i of `first` and choice j of
  // `second`, which has n choices. The variables must differ. The costs of several constraints on
  // the same pair are added.
  void addConstraint(size_t first, size_t second, const std::vector<ChoiceCost> &costs);

  // Returns the choice for each variable. If at most `maxTrials` trials are needed, the solution
  // has the least cost. Real programs need fewer trials, because fixing a few variables splits
  // their constraint graph into components. If more trials are needed, the solution is good, but
  // not always the best. Deterministic.
  std::vector<size_t> solve() const;

private:
  class Reduction;
  static constexpr size_t maxTrials = 2000;

  std::vector<std::vector<ChoiceCost>> own;
  // Costs of each constraint, keyed by its two variables, the lower one first.
  std::map<std::pair<size_t, size_t>, std::vector<ChoiceCost>> constraints;
};

} // namespace drumlin

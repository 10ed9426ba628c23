// Selects one choice for each variable such that the sum of costs is least: each choice has a cost,
// and so has each pair of choices of two variables that a constraint joins. (A partitioned Boolean
// quadratic problem: Scholz and Eckstein, "Register Allocation for Irregular Architectures", 2002,
// is the source of the reductions of variables with up to two neighbours.)
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
  // `costs[i * n + j]` is the cost of choice i of `first` and choice j of `second`, which has n
  // choices. The variables must differ. Costs of several constraints on the same pair add up.
  void addConstraint(size_t first, size_t second, const std::vector<ChoiceCost> &costs);

  // Returns the choice for each variable: a least-cost one if fixing few variables splits the
  // constraint graph into parts, as with real programs; a good one if that takes more than
  // `maxTrials` trials. Deterministic.
  std::vector<size_t> solve() const;

private:
  class Reduction;
  static constexpr size_t maxTrials = 2000;

  std::vector<std::vector<ChoiceCost>> own;
  std::map<std::pair<size_t, size_t>, std::vector<ChoiceCost>> constraints; // by lower, higher
};

} // namespace drumlin

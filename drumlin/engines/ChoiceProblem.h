// One choice for each of many variables, at the least sum of costs: each choice has a cost of its
// own, and each pair of choices of two variables that a constraint joins. (A partitioned Boolean
// quadratic problem: Scholz and Eckstein, "Register Allocation for Irregular Architectures", 2002,
// from where the reductions of variables with up to two neighbours are.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace drumlin {

// The second counts where the first are equal. Sums saturate.
struct ChoiceCost {
  int64_t first = 0, second = 0;

  static ChoiceCost impossible();
  ChoiceCost operator+(const ChoiceCost &other) const;
  auto operator<=>(const ChoiceCost &) const = default;
};

class ChoiceProblem {
public:
  // Returns the variable's number. There is at least one choice.
  size_t addVariable(std::vector<ChoiceCost> costs);
  // `costs[i * n + j]`: of choice i of the first and j of the second, which has n; they differ.
  // Several constraints on two variables add up.
  void addConstraint(size_t first, size_t second, const std::vector<ChoiceCost> &costs);

  // The choice for each variable: one of least cost where the graph of constraints comes apart
  // under few trials, as those of programs do; a good one beyond `maxTrials`. A function of the
  // problem alone.
  std::vector<size_t> solve() const;

private:
  class Reduction;
  static constexpr size_t maxTrials = 2000;

  std::vector<std::vector<ChoiceCost>> own;
  std::map<std::pair<size_t, size_t>, std::vector<ChoiceCost>> constraints; // by lower, higher
};

} // namespace drumlin

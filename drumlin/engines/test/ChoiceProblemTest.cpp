// Compares solutions of random problems of few variables with those of an exhaustive search.
#include "drumlin/engines/ChoiceProblem.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

namespace drumlin {

namespace {
struct Problem {
  std::vector<std::vector<ChoiceCost>> own;
  struct Constraint {
    size_t first, second;
    std::vector<ChoiceCost> costs;
  };
  std::vector<Constraint> constraints;

  ChoiceCost costOf(const std::vector<size_t> &choices) const {
    ChoiceCost sum;
    for (size_t i = 0; i < own.size(); ++i) {
      sum = sum + own[i][choices[i]];
    }
    for (const Constraint &each : constraints) {
      size_t width = own[each.second].size();
      sum = sum + each.costs[choices[each.first] * width + choices[each.second]];
    }
    return sum;
  }

  ChoiceCost least() const {
    std::vector<size_t> choices(own.size(), 0);
    ChoiceCost best = ChoiceCost::impossible();
    while (true) {
      best = std::min(best, costOf(choices));
      size_t i = 0;
      while (i < own.size() && ++choices[i] == own[i].size()) {
        choices[i++] = 0;
      }
      if (i == own.size()) {
        return best;
      }
    }
  }
};

Problem randomProblem(std::mt19937_64 &random) {
  auto cost = [&] {
    switch (random() % 4) {
    case 0:
      return ChoiceCost();
    case 1:
      return ChoiceCost::impossible();
    default:
      return ChoiceCost{static_cast<int64_t>(random() % 9), static_cast<int64_t>(random() % 3)};
    }
  };
  Problem made;
  size_t variables = 1 + random() % 7;
  for (size_t i = 0; i < variables; ++i) {
    made.own.emplace_back();
    for (size_t choices = 1 + random() % 4; choices > 0; --choices) {
      made.own.back().push_back(random() % 2 == 0 ? ChoiceCost() : cost());
    }
  }
  for (size_t count = random() % 14; count > 0 && variables > 1; --count) {
    size_t first = random() % variables, second = random() % variables;
    if (first != second) {
      std::vector<ChoiceCost> costs(made.own[first].size() * made.own[second].size());
      std::generate(costs.begin(), costs.end(), cost);
      made.constraints.push_back({first, second, costs});
    }
  }
  return made;
}
} // namespace

TEST(ChoiceProblemTest, FindsTheLeastSum) {
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    std::mt19937_64 random(seed);
    Problem problem = randomProblem(random);
    ChoiceProblem solved;
    for (const std::vector<ChoiceCost> &costs : problem.own) {
      solved.addVariable(costs);
    }
    for (const Problem::Constraint &each : problem.constraints) {
      solved.addConstraint(each.first, each.second, each.costs);
    }
    ASSERT_EQ(problem.costOf(solved.solve()), problem.least()) << seed;
  }
}

} // namespace drumlin

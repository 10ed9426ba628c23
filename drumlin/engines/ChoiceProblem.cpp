#include "drumlin/engines/ChoiceProblem.h"

#include "drumlin/support/Cost.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace drumlin {

static constexpr int64_t impossibleCost = std::numeric_limits<int64_t>::max();

ChoiceCost ChoiceCost::impossible() { return {impossibleCost, impossibleCost}; }

ChoiceCost ChoiceCost::operator+(const ChoiceCost &other) const {
  return {addSaturating(first, other.first), addSaturating(second, other.second)};
}

size_t ChoiceProblem::addVariable(std::vector<ChoiceCost> costs) {
  own.push_back(std::move(costs));
  return own.size() - 1;
}

static std::vector<ChoiceCost> turned(const std::vector<ChoiceCost> &costs, size_t columns) {
  size_t rows = costs.size() / columns;
  std::vector<ChoiceCost> made(costs.size());
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) {
      made[j * rows + i] = costs[i * columns + j];
    }
  }
  return made;
}

void ChoiceProblem::addConstraint(size_t first, size_t second,
                                  const std::vector<ChoiceCost> &costs) {
  std::vector<ChoiceCost> lowerFirst = first < second ? costs : turned(costs, own[second].size());
  auto [found, isNew] =
      constraints.try_emplace({std::min(first, second), std::max(first, second)}, lowerFirst);
  if (!isNew) {
    for (size_t i = 0; i < costs.size(); ++i) {
      found->second[i] = found->second[i] + lowerFirst[i];
    }
  }
}

// Removes variables one by one until none is left. Records for each removed variable how its best
// choice depends on the choices of its remaining neighbours.
class ChoiceProblem::Reduction {
public:
  using Costs = std::vector<ChoiceCost>;

  explicit Reduction(const ChoiceProblem &problem) : own(problem.own) {
    neighbours.resize(own.size());
    for (const auto &[pair, costs] : problem.constraints) {
      neighbours[pair.first][pair.second] = costs;
      neighbours[pair.second][pair.first] = turned(costs, own[pair.second].size());
    }
    isTaken.resize(own.size(), false);
    choices.resize(own.size());
    for (size_t variable = 0; variable < own.size(); ++variable) {
      for (size_t choice = 0; choice < own[variable].size(); ++choice) {
        choices[variable].push_back(choice);
      }
    }
  }

  // Removes all remaining variables and returns the least sum of their costs. Subtracts the trials
  // that it makes from `trials`.
  ChoiceCost run(size_t &trials) {
    std::vector<size_t> all;
    for (size_t variable = 0; variable < own.size(); ++variable) {
      if (!isTaken[variable]) {
        all.push_back(variable);
      }
    }
    return solveAmong(all, trials);
  }

  std::vector<size_t> result() const {
    std::vector<size_t> made(own.size());
    for (size_t i = order.size(); i-- > 0;) {
      const Removed &removed = order[i];
      Costs sum = removed.own;
      for (const Joined &joined : removed.joined) {
        size_t width = joined.choices.size();
        size_t theirs = static_cast<size_t>(
            std::find(joined.choices.begin(), joined.choices.end(), made[joined.neighbour]) -
            joined.choices.begin());
        for (size_t choice = 0; choice < sum.size(); ++choice) {
          sum[choice] = sum[choice] + joined.costs[choice * width + theirs];
        }
      }
      auto least = static_cast<size_t>(std::min_element(sum.begin(), sum.end()) - sum.begin());
      made[removed.variable] = choices[removed.variable][least];
    }
    return made;
  }

private:
  struct Joined {
    size_t neighbour;
    // The neighbour's choices that remained when the variable was removed.
    std::vector<size_t> choices;
    Costs costs;
  };
  struct Removed {
    size_t variable;
    Costs own;
    std::vector<Joined> joined;
  };

  Reduction() = default;

  std::vector<Costs> own;
  std::vector<std::map<size_t, Costs>> neighbours;
  std::vector<std::vector<size_t>> choices; // remaining choices, by their numbers in the problem
  std::vector<bool> isTaken;
  std::vector<Removed> order;

  void remove(size_t variable) {
    Removed removed = {variable, own[variable], {}};
    for (auto &[neighbour, costs] : neighbours[variable]) {
      removed.joined.push_back({neighbour, choices[neighbour], std::move(costs)});
      neighbours[neighbour].erase(variable);
    }
    order.push_back(std::move(removed));
    neighbours[variable].clear();
    isTaken[variable] = true;
  }

  void join(size_t a, size_t b, const Costs &costs) {
    auto add = [](Costs &to, const Costs &more) {
      for (size_t i = 0; i < to.size(); ++i) {
        to[i] = to[i] + more[i];
      }
    };
    auto found = neighbours[a].find(b);
    Costs back = turned(costs, own[b].size());
    if (found == neighbours[a].end()) {
      neighbours[a][b] = costs;
      neighbours[b][a] = std::move(back);
    } else {
      add(found->second, costs);
      add(neighbours[b][a], back);
    }
  }

  // Removes a variable that has one neighbour. Adds to the cost of each of the neighbour's choices
  // the variable's least cost for this choice.
  void foldInto(size_t variable) {
    auto &[neighbour, costs] = *neighbours[variable].begin();
    size_t width = own[neighbour].size();
    for (size_t j = 0; j < width; ++j) {
      ChoiceCost least = ChoiceCost::impossible();
      for (size_t i = 0; i < own[variable].size(); ++i) {
        least = std::min(least, own[variable][i] + costs[i * width + j]);
      }
      own[neighbour][j] = own[neighbour][j] + least;
    }
    remove(variable);
  }

  void foldBetween(size_t variable) {
    auto first = neighbours[variable].begin();
    auto second = std::next(first);
    size_t a = first->first, b = second->first;
    size_t widthA = own[a].size(), widthB = own[b].size();
    Costs made(widthA * widthB, ChoiceCost::impossible());
    for (size_t i = 0; i < own[variable].size(); ++i) {
      for (size_t j = 0; j < widthA; ++j) {
        ChoiceCost here = own[variable][i] + first->second[i * widthA + j];
        for (size_t k = 0; k < widthB; ++k) {
          made[j * widthB + k] =
              std::min(made[j * widthB + k], here + second->second[i * widthB + k]);
        }
      }
    }
    remove(variable);
    join(a, b, made);
  }

  // Drops each choice for which another choice never costs more, whatever the neighbours choose.
  void dropDominated(size_t variable) {
    for (size_t i = 0; i < own[variable].size() && own[variable].size() > 1;) {
      bool isDominated = false;
      for (size_t j = 0; j < own[variable].size() && !isDominated; ++j) {
        isDominated = j != i && covers(variable, j, i);
      }
      if (isDominated) {
        drop(variable, i);
      } else {
        ++i;
      }
    }
  }

  bool covers(size_t variable, size_t better, size_t worse) const {
    if (own[variable][better] > own[variable][worse]) {
      return false;
    }
    return std::all_of(
        neighbours[variable].begin(), neighbours[variable].end(), [&](const auto &joined) {
          size_t width = own[joined.first].size();
          for (size_t k = 0; k < width; ++k) {
            if (joined.second[better * width + k] > joined.second[worse * width + k]) {
              return false;
            }
          }
          return true;
        });
  }

  void drop(size_t variable, size_t choice) {
    for (auto &[neighbour, costs] : neighbours[variable]) {
      auto width = static_cast<std::ptrdiff_t>(own[neighbour].size());
      auto begin = costs.begin() + static_cast<std::ptrdiff_t>(choice) * width;
      costs.erase(begin, begin + width);
      neighbours[neighbour][variable] = turned(costs, static_cast<size_t>(width));
    }
    own[variable].erase(own[variable].begin() + static_cast<std::ptrdiff_t>(choice));
    choices[variable].erase(choices[variable].begin() + static_cast<std::ptrdiff_t>(choice));
  }

  // Disconnects a variable that has a single choice: adds the costs of its constraints to the own
  // costs of its neighbours.
  void settle(size_t variable) {
    while (!neighbours[variable].empty()) {
      auto first = neighbours[variable].begin();
      size_t neighbour = first->first;
      for (size_t k = 0; k < own[neighbour].size(); ++k) {
        own[neighbour][k] = own[neighbour][k] + first->second[k];
      }
      neighbours[neighbour].erase(variable);
      neighbours[variable].erase(first);
    }
  }

  // Applies exact reductions until none applies; returns the variables that remain.
  std::vector<size_t> reduce(std::vector<size_t> left) {
    bool changes = true;
    while (changes) {
      changes = false;
      for (size_t variable : left) {
        if (isTaken[variable]) {
          continue;
        }
        dropDominated(variable);
        if (own[variable].size() == 1) {
          settle(variable);
        }
        size_t degree = neighbours[variable].size();
        if (degree > 2) {
          continue;
        }
        changes = true;
        if (degree == 0) {
          remove(variable);
        } else if (degree == 1) {
          foldInto(variable);
        } else {
          foldBetween(variable);
        }
      }
      std::erase_if(left, [&](size_t variable) { return isTaken[variable]; });
    }
    return left;
  }

  std::vector<size_t> componentOf(size_t start) const {
    std::vector<size_t> found = {start};
    std::vector<bool> isSeen(own.size(), false);
    isSeen[start] = true;
    for (size_t i = 0; i < found.size(); ++i) {
      for (const auto &[neighbour, costs] : neighbours[found[i]]) {
        if (!isSeen[neighbour]) {
          isSeen[neighbour] = true;
          found.push_back(neighbour);
        }
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  // Solves for some variables and returns their total cost. The total adds only variables that had
  // no neighbour when `reduce` removed them: their costs include the costs of all variables folded
  // into them.
  ChoiceCost solveAmong(const std::vector<size_t> &variables, size_t &trials) {
    size_t before = order.size();
    std::vector<size_t> left = reduce(variables);
    while (!left.empty()) {
      std::vector<size_t> component = componentOf(left.front());
      fix(component, trials);
      left = reduce(left);
    }
    ChoiceCost sum;
    for (size_t i = before; i < order.size(); ++i) {
      if (order[i].joined.empty()) {
        sum = sum + *std::min_element(order[i].own.begin(), order[i].own.end());
      }
    }
    return sum;
  }

  // Fixes the variable with the most neighbours to its best choice. Tries each choice by solving
  // the rest of the component. If too few trials are left, estimates a choice's cost instead: its
  // own cost plus the least cost of each neighbour for this choice.
  void fix(const std::vector<size_t> &component, size_t &trials) {
    size_t variable =
        *std::max_element(component.begin(), component.end(), [&](size_t a, size_t b) {
          return neighbours[a].size() < neighbours[b].size() ||
                 (neighbours[a].size() == neighbours[b].size() && a > b);
        });
    std::optional<size_t> best;
    ChoiceCost least;
    bool canTry = trials >= own[variable].size();
    trials -= canTry ? own[variable].size() : 0;
    for (size_t choice = 0; choice < own[variable].size(); ++choice) {
      ChoiceCost cost =
          canTry ? costOfTrying(component, variable, choice, trials) : costNearby(variable, choice);
      if (!best || cost < least) {
        best = choice;
        least = cost;
      }
    }
    keepOnly(variable, *best);
  }

  void keepOnly(size_t variable, size_t choice) {
    while (own[variable].size() > choice + 1) {
      drop(variable, choice + 1);
    }
    while (own[variable].size() > 1) {
      drop(variable, 0);
    }
  }

  ChoiceCost costOfTrying(const std::vector<size_t> &component, size_t variable, size_t choice,
                          size_t &trials) const {
    Reduction trial;
    trial.own = own;
    trial.neighbours = neighbours;
    trial.choices = choices;
    trial.isTaken = isTaken;
    trial.keepOnly(variable, choice);
    return trial.solveAmong(component, trials);
  }

  ChoiceCost costNearby(size_t variable, size_t choice) const {
    ChoiceCost sum = own[variable][choice];
    for (const auto &[neighbour, costs] : neighbours[variable]) {
      size_t width = own[neighbour].size();
      ChoiceCost least = ChoiceCost::impossible();
      for (size_t k = 0; k < width; ++k) {
        least = std::min(least, own[neighbour][k] + costs[choice * width + k]);
      }
      sum = sum + least;
    }
    return sum;
  }
};

std::vector<size_t> ChoiceProblem::solve() const {
  Reduction reduction(*this);
  size_t trials = maxTrials;
  reduction.run(trials);
  return reduction.result();
}

} // namespace drumlin

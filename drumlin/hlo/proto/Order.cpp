#include "drumlin/hlo/proto/Order.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace drumlin::hlo {

namespace {
enum : uint8_t { unseen, open, done, states, hasUser = states };
} // namespace

void InstructionOrder::visit(uint32_t root, const NumberLists &operands,
                             const NumberLists &predecessors, size_t first,
                             std::vector<uint32_t> &order) {
  stack.push_back(root);
  while (!stack.empty()) {
    uint32_t current = stack.back();
    if (state[current] % states != unseen) {
      stack.pop_back();
      if (state[current] % states == open) {
        state[current] = done;
        order.push_back(current);
      }
      continue;
    }
    state[current] = open;
    std::span<const uint32_t> on = operands[first + current], after = predecessors[first + current];
    stack.insert(stack.end(), on.rbegin(), on.rend());
    stack.insert(stack.end(), after.begin(), after.end());
  }
}

void InstructionOrder::append(const NumberLists &operands, const NumberLists &predecessors,
                              size_t first, size_t count, std::vector<uint32_t> &order) {
  state.assign(count, unseen);
  for (size_t i = 0; i < count; ++i) {
    for (uint32_t operand : operands[first + i]) {
      state[operand] = hasUser;
    }
  }
  // A second pass visits nodes on cycles, which the first pass may not reach. The caller reports
  // cycles.
  for (bool isCyclic : {false, true}) {
    for (uint32_t i = 0; i < count; ++i) {
      if (isCyclic || state[i] != hasUser) {
        visit(i, operands, predecessors, first, order);
      }
    }
  }
}

std::vector<uint32_t> computationOrder(const std::vector<Instructions> &computations,
                                       const NumberLists &called) {
  size_t count = computations.size();
  std::vector<bool> isCalled(count), seen(count);
  for (size_t i = 0; i < called.size(); ++i) {
    for (uint32_t computation : called[i]) {
      isCalled[computation] = true;
    }
  }
  std::vector<uint32_t> order;
  order.reserve(count);
  std::vector<std::pair<uint32_t, size_t>> stack; // computations and the next instruction of each
  auto push = [&](uint32_t computation) {
    if (!seen[computation]) {
      seen[computation] = true;
      stack.emplace_back(computation, 0);
    }
  };
  for (bool isCyclic : {false, true}) {
    for (uint32_t root = 0; root < count; ++root) {
      if (isCalled[root] && !isCyclic) {
        continue;
      }
      push(root);
      while (!stack.empty()) {
        auto [computation, instruction] = stack.back();
        if (instruction == computations[computation].count) {
          stack.pop_back();
          order.push_back(computation);
          continue;
        }
        ++stack.back().second;
        std::span<const uint32_t> callees = called[computations[computation].first + instruction];
        std::for_each(callees.rbegin(), callees.rend(), push);
      }
    }
  }
  return order;
}

} // namespace drumlin::hlo

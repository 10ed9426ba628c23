#include "drumlin/hlo/proto/Order.h"

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
  // What is on a cycle is reached from nothing else; its error is another's to report.
  for (bool isCyclic : {false, true}) {
    for (uint32_t i = 0; i < count; ++i) {
      if (isCyclic || state[i] != hasUser) {
        visit(i, operands, predecessors, first, order);
      }
    }
  }
}

std::vector<uint32_t>
computationOrder(const std::vector<std::vector<std::vector<uint32_t>>> &calls) {
  std::vector<bool> isCalled(calls.size()), seen(calls.size());
  for (const auto &instructions : calls) {
    for (const std::vector<uint32_t> &called : instructions) {
      for (uint32_t computation : called) {
        isCalled[computation] = true;
      }
    }
  }
  std::vector<uint32_t> order;
  std::vector<std::pair<uint32_t, size_t>> stack; // a computation and its next instruction
  auto push = [&](const std::vector<uint32_t> &called) {
    for (auto computation = called.rbegin(); computation != called.rend(); ++computation) {
      if (!seen[*computation]) {
        seen[*computation] = true;
        stack.emplace_back(*computation, 0);
      }
    }
  };
  for (bool isCyclic : {false, true}) {
    for (uint32_t root = 0; root < calls.size(); ++root) {
      if (seen[root] || (isCalled[root] && !isCyclic)) {
        continue;
      }
      push({root});
      while (!stack.empty()) {
        auto [computation, instruction] = stack.back();
        if (instruction == calls[computation].size()) {
          stack.pop_back();
          order.push_back(computation);
        } else {
          ++stack.back().second;
          push(calls[computation][instruction]);
        }
      }
    }
  }
  return order;
}

} // namespace drumlin::hlo

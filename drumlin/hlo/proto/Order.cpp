#include "drumlin/hlo/proto/Order.h"

#include <cstddef>
#include <utility>

namespace drumlin::hlo {

static void visitInstruction(uint32_t root, const std::vector<Dependences> &instructions,
                             std::vector<uint8_t> &state, std::vector<uint32_t> &order) {
  enum : uint8_t { unseen, open, done };
  std::vector<uint32_t> stack{root};
  while (!stack.empty()) {
    uint32_t current = stack.back();
    if (state[current] != unseen) {
      stack.pop_back();
      if (state[current] == open) {
        state[current] = done;
        order.push_back(current);
      }
      continue;
    }
    state[current] = open;
    const Dependences &on = instructions[current];
    stack.insert(stack.end(), on.operands.rbegin(), on.operands.rend());
    stack.insert(stack.end(), on.predecessors.begin(), on.predecessors.end());
  }
}

std::vector<uint32_t> instructionOrder(const std::vector<Dependences> &instructions) {
  std::vector<bool> hasUser(instructions.size());
  for (const Dependences &on : instructions) {
    for (uint32_t operand : on.operands) {
      hasUser[operand] = true;
    }
  }
  std::vector<uint8_t> state(instructions.size());
  std::vector<uint32_t> order;
  order.reserve(instructions.size());
  // What is on a cycle is reached from nothing else; its error is another's to report.
  for (bool isCyclic : {false, true}) {
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      if (isCyclic || !hasUser[i]) {
        visitInstruction(i, instructions, state, order);
      }
    }
  }
  return order;
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

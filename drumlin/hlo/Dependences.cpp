#include "drumlin/hlo/Dependences.h"

namespace drumlin::hlo {

InstructionGraph::InstructionGraph(const Computation &computation)
    : graph(computation.instructions.size()) {
  places.reserve(graph.size());
  for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
    places.emplace(instruction.get(), static_cast<uint32_t>(places.size()));
  }
  for (size_t i = 0; i < graph.size(); ++i) {
    const Instruction &instruction = *computation.instructions[i];
    for (const Operand &operand : instruction.operands) {
      graph[i].push_back(places.at(operand.instruction));
    }
    if (const Value *predecessors = instruction.find("control-predecessors")) {
      for (const Value &item : predecessors->items) {
        if (item.instruction()) {
          graph[i].push_back(places.at(item.instruction()));
        }
      }
    }
  }
}

CallGraph::CallGraph(const Module &module) : graph(module.computations.size()) {
  for (const std::unique_ptr<Computation> &computation : module.computations) {
    places.emplace(computation.get(), static_cast<uint32_t>(places.size()));
  }
  for (size_t i = 0; i < graph.size(); ++i) {
    for (const std::unique_ptr<Instruction> &instruction : module.computations[i]->instructions) {
      for (const Computation *called : instruction->calledComputations()) {
        graph[i].push_back(places.at(called));
      }
    }
  }
}

std::vector<bool> reachableFrom(const Graph &graph, uint32_t node) {
  std::vector<bool> reached(graph.size());
  std::vector<uint32_t> open{node};
  while (!open.empty()) {
    uint32_t current = open.back();
    open.pop_back();
    for (uint32_t next : graph[current]) {
      if (!reached[next]) {
        reached[next] = true;
        open.push_back(next);
      }
    }
  }
  return reached;
}

std::vector<uint32_t> stableOrder(const Graph &graph) {
  enum class State : uint8_t { New, Open, Done };
  std::vector<State> states(graph.size(), State::New);
  std::vector<uint32_t> order, stack;
  order.reserve(graph.size());
  for (uint32_t root = 0; root < graph.size(); ++root) {
    stack.push_back(root);
    while (!stack.empty()) {
      uint32_t node = stack.back();
      if (states[node] == State::New) {
        states[node] = State::Open;
        stack.insert(stack.end(), graph[node].rbegin(), graph[node].rend());
        continue;
      }
      stack.pop_back();
      if (states[node] == State::Open) {
        states[node] = State::Done;
        order.push_back(node);
      }
    }
  }
  return order;
}

} // namespace drumlin::hlo

#include "drumlin/hlo/Cycles.h"

#include <algorithm>

namespace drumlin::hlo {

std::vector<uint32_t> findCycle(const Graph &graph) {
  enum class State : uint8_t { New, OnPath, Done };
  struct Step {
    uint32_t node;
    size_t next; // index of the next edge of `node` to follow
  };
  std::vector<State> states(graph.size(), State::New);
  // Searches depth first without recursion: a long path would overflow the stack.
  std::vector<Step> path;
  for (uint32_t root = 0; root < graph.size(); ++root) {
    if (states[root] == State::New) {
      states[root] = State::OnPath;
      path.push_back({root, 0});
    }
    while (!path.empty()) {
      Step &step = path.back();
      if (step.next == graph[step.node].size()) {
        states[step.node] = State::Done;
        path.pop_back();
        continue;
      }
      uint32_t target = graph[step.node][step.next++];
      if (states[target] == State::New) {
        states[target] = State::OnPath;
        path.push_back({target, 0});
      } else if (states[target] == State::OnPath) {
        auto begin = std::find_if(path.begin(), path.end(),
                                  [&](const Step &each) { return each.node == target; });
        std::vector<uint32_t> cycle;
        for (auto each = begin; each != path.end(); ++each) {
          cycle.push_back(each->node);
        }
        return cycle;
      }
    }
  }
  return {};
}

} // namespace drumlin::hlo

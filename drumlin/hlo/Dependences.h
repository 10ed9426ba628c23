// What depends on what in a module, as graphs of numbered nodes.
#pragma once

#include "drumlin/hlo/Cycles.h"
#include "drumlin/hlo/Module.h"

#include <unordered_map>

namespace drumlin::hlo {

// The instructions of a computation by their places in it, each with its operands and its control
// predecessors.
struct InstructionGraph {
  std::unordered_map<const Instruction *, uint32_t> places;
  Graph graph;
  explicit InstructionGraph(const Computation &computation);
};

// The computations of a module by their places in it, each with those that its instructions call.
struct CallGraph {
  std::unordered_map<const Computation *, uint32_t> places;
  Graph graph;
  explicit CallGraph(const Module &module);
};

// Whether each node can be reached from this one; a node itself only by a cycle.
std::vector<bool> reachableFrom(const Graph &graph, uint32_t node);

// Nodes in their present order, but each after those that it points at. Expects no cycle.
std::vector<uint32_t> stableOrder(const Graph &graph);

} // namespace drumlin::hlo

// The dependences between a module's instructions and between its computations, as graphs.
#pragma once

#include "drumlin/hlo/Cycles.h"
#include "drumlin/hlo/Module.h"

#include <unordered_map>

namespace drumlin::hlo {

// Edges from each instruction of a computation to its operands and its control predecessors. Nodes
// are indices in the computation's list of instructions.
struct InstructionGraph {
  std::unordered_map<const Instruction *, uint32_t> places;
  Graph graph;
  explicit InstructionGraph(const Computation &computation);
};

// Edges from each computation to the computations that its instructions call. Nodes are indices in
// the module's list of computations.
struct CallGraph {
  std::unordered_map<const Computation *, uint32_t> places;
  Graph graph;
  explicit CallGraph(const Module &module);
};

// Returns, for each node, whether a path from `node` reaches it. `node` itself counts as reached
// only if it is on a cycle.
std::vector<bool> reachableFrom(const Graph &graph, uint32_t node);

// Returns an order of the nodes in which each node follows its successors. Apart from this, nodes
// keep their current order. Requires a graph without cycles.
std::vector<uint32_t> stableOrder(const Graph &graph);

} // namespace drumlin::hlo

// Cycle detection in graphs with numbered nodes.
#pragma once

#include <cstdint>
#include <vector>

namespace drumlin::hlo {

// The successors of each node.
using Graph = std::vector<std::vector<uint32_t>>;

// Returns the nodes of one cycle, each followed by one of its successors; empty if acyclic.
std::vector<uint32_t> findCycle(const Graph &graph);

} // namespace drumlin::hlo

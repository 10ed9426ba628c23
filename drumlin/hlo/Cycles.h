// Cycles of graphs whose nodes are numbered.
#pragma once

#include <cstdint>
#include <vector>

namespace drumlin::hlo {

// The nodes that each node points at.
using Graph = std::vector<std::vector<uint32_t>>;

// The nodes of one cycle, each before one that it points at; empty where there is none.
std::vector<uint32_t> findCycle(const Graph &graph);

} // namespace drumlin::hlo

// The orders in which XLA prints what it reads from messages. A message's own order is that of ids.
#pragma once

#include <cstdint>
#include <vector>

namespace drumlin::hlo {

// Numbers of an instruction's operands, and of its control predecessors.
struct Dependences {
  std::vector<uint32_t> operands, predecessors;
};

// Each instruction behind what it depends on: from those without users, the first operand first.
std::vector<uint32_t> instructionOrder(const std::vector<Dependences> &instructions);

// Each computation behind those that it calls. `calls[c][i]` are the numbers of the computations
// that instruction `i` of computation `c` calls.
std::vector<uint32_t>
computationOrder(const std::vector<std::vector<std::vector<uint32_t>>> &calls);

} // namespace drumlin::hlo

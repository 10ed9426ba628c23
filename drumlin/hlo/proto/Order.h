// The orders in which XLA prints what it reads from messages. A message's own order is that of ids.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace drumlin::hlo {

// A list of numbers for each of several things, one list after the other.
class NumberLists {
public:
  void clear() {
    all.clear();
    ends.clear();
  }
  // To the list that isn't ended yet.
  void push(uint32_t number) { all.push_back(number); }
  // What the list that isn't ended has is none of it.
  void drop() { all.resize(ends.empty() ? 0 : ends.back()); }
  void end() { ends.push_back(static_cast<uint32_t>(all.size())); }
  size_t size() const { return ends.size(); }
  std::span<const uint32_t> operator[](size_t list) const {
    size_t begin = list == 0 ? 0 : ends[list - 1];
    return {all.data() + begin, ends[list] - begin};
  }

private:
  std::vector<uint32_t> all, ends;
};

// Orders the instructions of one computation after the other.
class InstructionOrder {
public:
  // Appends the numbers of a computation's instructions, whose lists are those from `first` on:
  // each behind its operands and control predecessors, from those without users, the first operand
  // first.
  void append(const NumberLists &operands, const NumberLists &predecessors, size_t first,
              size_t count, std::vector<uint32_t> &order);

private:
  void visit(uint32_t root, const NumberLists &operands, const NumberLists &predecessors,
             size_t first, std::vector<uint32_t> &order);

  // Of one computation; their memory is used again.
  std::vector<uint8_t> state;
  std::vector<uint32_t> stack;
};

// A computation's instructions in the lists of all.
struct Instructions {
  size_t first = 0, count = 0;
};

// Each computation behind those that it calls. `called` has the numbers of the computations that
// each instruction calls.
std::vector<uint32_t> computationOrder(const std::vector<Instructions> &computations,
                                       const NumberLists &called);

} // namespace drumlin::hlo

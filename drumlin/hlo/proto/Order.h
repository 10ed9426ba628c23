// The orders in which XLA prints instructions and computations after reading a proto. In the proto,
// they are ordered by id.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace drumlin::hlo {

// A sequence of lists of numbers, stored one after the other.
class NumberLists {
public:
  void clear() {
    all.clear();
    ends.clear();
  }
  // Appends a number to the current list.
  void push(uint32_t number) { all.push_back(number); }
  // Empties the current list.
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

// Orders the instructions of computations, one computation at a time.
class InstructionOrder {
public:
  // Appends the indices of a computation's instructions in depth-first postorder. The search starts
  // at instructions without users. It visits an instruction's control predecessors, then its
  // operands from first to last, then the instruction. `first`: the index of the computation's
  // first instruction in `operands` and `predecessors`.
  void append(const NumberLists &operands, const NumberLists &predecessors, size_t first,
              size_t count, std::vector<uint32_t> &order);

private:
  void visit(uint32_t root, const NumberLists &operands, const NumberLists &predecessors,
             size_t first, std::vector<uint32_t> &order);

  // Scratch memory, reused for each computation.
  std::vector<uint8_t> state;
  std::vector<uint32_t> stack;
};

// A computation's range in the lists of all instructions.
struct Instructions {
  size_t first = 0, count = 0;
};

// Returns the computations' indices, each after the computations that it calls. `called`: the
// indices of the computations that each instruction calls.
std::vector<uint32_t> computationOrder(const std::vector<Instructions> &computations,
                                       const NumberLists &called);

} // namespace drumlin::hlo

// Which instructions of a listing are printed.
#pragma once

#include "drumlin/listing/Listing.h"
#include "drumlin/support/Diagnostics.h"

#include <unordered_set>

namespace drumlin::listing {

class Selection {
public:
  // Everything.
  Selection() = default;
  explicit Selection(std::unordered_set<const Instruction *> instructions)
      : everything(false), instructions(std::move(instructions)) {}

  bool isEverything() const { return everything; }
  bool has(const Instruction &instruction) const {
    return everything || instructions.contains(&instruction);
  }
  // Whether the instruction or one of its regions is printed.
  bool reaches(const Instruction &instruction) const;
  // Those of a computation and its regions.
  size_t countIn(const Computation &computation) const;
  // Leaves only those of these computations.
  Selection within(const std::vector<const Computation *> &computations) const;
  // Leaves only those of the other, too.
  Selection with(const Selection &other) const;
  bool isEmpty() const { return !everything && instructions.empty(); }

private:
  bool everything = true;
  std::unordered_set<const Instruction *> instructions;
};

// Those whose opcode, with or without its dialect, matches the whole regular expression.
// FilterInvalid, also where there are none.
Result<Selection> selectByOpcode(const Module &module, const std::string &expression);

// Those of this name, short or full, with or without `%`, and those within `depth` steps from
// operand to user or from user to operand. FilterInvalid.
Result<Selection> selectAround(const Module &module, const std::string &name, unsigned depth);

// Selects what comes from a place in the program's source: `model.py`, `layers/model.py:12`, a
// range of lines `model.py:12-30`. Files are known by the last parts of their paths. What a folded
// computation comes from, its callers come from. FilterInvalid.
Result<Selection> selectBySource(const Module &module, const std::string &place);

// Selects those in whose name scope the regular expression is found anywhere. FilterInvalid.
Result<Selection> selectByScope(const Module &module, const std::string &expression);

// Finds the computation of this name, short or full, with or without `%` or `@`, else all that the
// instruction of this name calls, as a fusion or a loop does; they are printed from then on.
// FilterInvalid.
Result<std::vector<const Computation *>> unfold(Module &module, const std::string &name);

} // namespace drumlin::listing

// Selects the instructions of a listing to print.
#pragma once

#include "drumlin/listing/Listing.h"
#include "drumlin/support/Diagnostics.h"

#include <unordered_set>

namespace drumlin::listing {

class Selection {
public:
  // Selects everything.
  Selection() = default;
  explicit Selection(std::unordered_set<const Instruction *> instructions)
      : everything(false), instructions(std::move(instructions)) {}

  bool isEverything() const { return everything; }
  bool has(const Instruction &instruction) const {
    return everything || instructions.contains(&instruction);
  }
  // Whether the instruction, or any instruction in its regions, is selected.
  bool reaches(const Instruction &instruction) const;
  // Returns the number of selected instructions in a computation and its regions.
  size_t countIn(const Computation &computation) const;
  // Returns the selected instructions that are in these computations.
  Selection within(const std::vector<const Computation *> &computations) const;
  // Returns the instructions that are in both selections.
  Selection with(const Selection &other) const;
  bool isEmpty() const { return !everything && instructions.empty(); }

private:
  bool everything = true;
  std::unordered_set<const Instruction *> instructions;
};

// Selects the instructions whose opcode, with or without its dialect, matches the regular
// expression completely. Fails with FilterInvalid if the expression is invalid or nothing matches.
Result<Selection> selectByOpcode(const Module &module, const std::string &expression);

// Selects the instructions with this name (short or full, with or without `%`), and the
// instructions that are at most `depth` steps away. A step goes from an operand to a user or back.
// Fails with FilterInvalid if no instruction has this name.
Result<Selection> selectAround(const Module &module, const std::string &name, unsigned depth);

// Selects the instructions that come from a location in the program's source: `model.py`,
// `layers/model.py:12`, or a range of lines `model.py:12-30`. Files match by the last components of
// their paths. An instruction that calls a folded computation also has the sources of that
// computation's instructions. Fails with FilterInvalid if there are none.
Result<Selection> selectBySource(const Module &module, const std::string &place);

// Selects the instructions whose name scope contains a match of the regular expression. Fails with
// FilterInvalid if the expression is invalid or nothing matches.
Result<Selection> selectByScope(const Module &module, const std::string &expression);

// Returns the computation with this name (short or full, with or without `%` or `@`). If there is
// none, returns all computations called by the instruction with this name, such as a fusion or a
// loop. Unfolds the returned computations, so that they are printed. Fails with FilterInvalid if
// there are none.
Result<std::vector<const Computation *>> unfold(Module &module, const std::string &name);

} // namespace drumlin::listing

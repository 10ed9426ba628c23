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
  // Leaves only those of this computation.
  Selection within(const Computation &computation) const;

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

// By its name, short or full, with or without `%` or `@`. FilterInvalid.
Result<const Computation *> findComputation(const Module &module, const std::string &name);

} // namespace drumlin::listing

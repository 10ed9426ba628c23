// Recognizes functions of one variable in listings. Accepts any equivalent form of a function, like
// the checks of requirements on plans.
#pragma once

#include "drumlin/listing/Listing.h"

#include <optional>
#include <unordered_map>

namespace drumlin::listing {

// Whether an operation only moves elements, such as `broadcast` and `reshape`.
bool movesElements(const Instruction &instruction);
// Whether the instruction has the given mnemonic and number of operands. HLO's parser doesn't check
// the number of operands.
bool isOperation(const Instruction &instruction, std::string_view mnemonic, size_t operands);
bool isConstant(const Instruction &instruction);
bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names);
// Returns `shift_left` for `shift-left` and `stablehlo.shift_left`.
std::string mnemonicOf(const Instruction &instruction);
// Returns the text of an attribute; empty if there is none.
std::string_view attributeText(const Instruction &instruction, std::string_view name);

struct FoundFunction {
  std::string_view name; // see nameOfActivation()
  const Instruction *from;
};

class FunctionFinder {
public:
  explicit FunctionFinder(const Computation &computation);

  // Finds a known function that computes the instruction's elements from the elements of another
  // instruction.
  std::optional<FoundFunction> find(const Instruction &to) const;
  size_t positionOf(const Instruction &instruction) const { return positions.at(&instruction); }

private:
  std::unordered_map<const Instruction *, size_t> positions;
};

} // namespace drumlin::listing

// Functions of one variable in listings, in any spelling, as requirements know them in plans.
#pragma once

#include "drumlin/listing/Listing.h"

#include <optional>
#include <unordered_map>

namespace drumlin::listing {

// Says only where elements lie: `broadcast`, `reshape`.
bool movesElements(const Instruction &instruction);
// HLO's reader doesn't count operands: whether this is such an operation with so many.
bool isOperation(const Instruction &instruction, std::string_view mnemonic, size_t operands);
bool isConstant(const Instruction &instruction);
bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names);
// `shift_left` of `shift-left` and `stablehlo.shift_left`.
std::string mnemonicOf(const Instruction &instruction);
// The text of an attribute; empty where there is none.
std::string_view attributeText(const Instruction &instruction, std::string_view name);

struct FoundFunction {
  std::string_view name; // as nameOfActivation() has it
  const Instruction *from;
};

class FunctionFinder {
public:
  explicit FunctionFinder(const Computation &computation);

  // The function that makes the instruction's elements of another one's.
  std::optional<FoundFunction> find(const Instruction &to) const;
  size_t positionOf(const Instruction &instruction) const { return positions.at(&instruction); }

private:
  std::unordered_map<const Instruction *, size_t> positions;
};

} // namespace drumlin::listing

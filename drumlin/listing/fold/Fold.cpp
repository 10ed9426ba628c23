#include "drumlin/listing/fold/Fold.h"

#include "drumlin/listing/TextPrinter.h"
#include "drumlin/listing/fold/Expression.h"

#include <algorithm>
#include <unordered_map>

namespace drumlin::listing {

// Whether it neither has regions nor calls other functions.
static bool isStraight(const Computation &computation) {
  return std::all_of(computation.instructions.begin(), computation.instructions.end(),
                     [](const auto &instruction) {
                       return instruction->regions.empty() &&
                              baseName(instruction->opcode) != "call";
                     });
}

// The computation that an instruction stands for, if it is to be folded.
static Computation *foldedBy(const Instruction &instruction,
                             const std::unordered_map<const Computation *, size_t> &callers) {
  std::string_view name = baseName(instruction.opcode);
  if (instruction.opcode.starts_with("plan.") && instruction.regions.size() == 1) {
    return instruction.regions[0].get();
  }
  if (instruction.calls.size() != 1) {
    return nullptr;
  }
  Computation *called = instruction.calls[0];
  bool isFunction = name == "call" && callers.at(called) == 1 && !called->isEntry &&
                    (called->keyword.empty() || called->keyword.ends_with("private"));
  bool isKernel = instruction.opcode == "fusion" || instruction.opcode == "plan.launch";
  return isKernel || (isFunction && isStraight(*called)) ? called : nullptr;
}

void fold(Module &module) {
  std::unordered_map<const Computation *, size_t> callers;
  auto visitAll = [&](auto visit) {
    for (const std::unique_ptr<Computation> &computation : module.computations) {
      forEach(*computation, visit);
    }
  };
  visitAll([&](const Instruction &instruction) {
    for (const Computation *called : instruction.calls) {
      ++callers[called];
    }
  });
  // What something else names too, stays.
  std::unordered_map<Computation *, size_t> folded;
  visitAll([&](Instruction &instruction) {
    Computation *called = foldedBy(instruction, callers);
    if (!called) {
      return;
    }
    std::vector<std::string> arguments;
    for (const Operand &operand : instruction.operands) {
      arguments.push_back(argumentName(nameOf(operand).substr(1)));
    }
    instruction.expression = expressionOf(*called, arguments);
    ++folded[called];
  });
  for (auto [computation, count] : folded) {
    computation->isFolded = computation->isRegion || count == callers.at(computation);
  }
}

} // namespace drumlin::listing

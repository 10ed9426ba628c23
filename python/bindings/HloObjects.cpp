#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include "python/bindings/HloObjects.h"

#include "python/bindings/HloValues.h"

namespace drumlin::python {

State::State(hlo::Module parsed) : module(std::move(parsed)) {
  for (const auto &computation : module.computations) {
    add(*computation);
  }
}

void State::add(hlo::Computation &computation) {
  computations.insert(&computation);
  for (const auto &instruction : computation.instructions) {
    parents.emplace(instruction.get(), &computation);
  }
}

// Updates the state after a change of this computation. The change may have added or removed other
// computations.
void State::update(hlo::Computation &computation) {
  for (; knownInstructions < removed.instructions.size(); ++knownInstructions) {
    parents.erase(removed.instructions[knownInstructions].get());
  }
  for (; knownComputations < removed.computations.size(); ++knownComputations) {
    const hlo::Computation *gone = removed.computations[knownComputations].get();
    computations.erase(gone);
    users.erase(gone);
    for (const auto &instruction : gone->instructions) {
      parents.erase(instruction.get());
    }
  }
  if (!isRemoved(computation)) {
    add(computation);
  }
  if (computations.size() != module.computations.size()) {
    for (const auto &each : module.computations) {
      if (isRemoved(*each)) {
        add(*each);
      }
    }
  }
  users.erase(&computation);
}

hlo::Computation &State::parentOf(const hlo::Instruction &instruction) const {
  auto found = parents.find(&instruction);
  if (found == parents.end()) {
    raise(diagnose(errors::HloRemoved, "instruction `" + instruction.name + "` was removed",
                   module.name));
  }
  return *found->second;
}

void State::check(const hlo::Computation &computation) const {
  if (isRemoved(computation)) {
    raise(diagnose(errors::HloRemoved, "computation `" + computation.name + "` was removed",
                   module.name));
  }
}

const std::vector<hlo::Instruction *> &State::usersOf(const hlo::Instruction &instruction) {
  const hlo::Computation &parent = parentOf(instruction);
  auto [found, isNew] = users.try_emplace(&parent);
  if (isNew) {
    for (const auto &user : parent.instructions) {
      for (const hlo::Operand &operand : user->operands) {
        std::vector<hlo::Instruction *> &all = found->second[operand.instruction];
        if (all.empty() || all.back() != user.get()) {
          all.push_back(user.get());
        }
      }
    }
  }
  return found->second[&instruction];
}

} // namespace drumlin::python

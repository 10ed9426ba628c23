#include "drumlin/hlo/Module.h"

#include <algorithm>
#include <utility>

namespace drumlin::hlo {

const Value *findAttribute(const List<Attribute> &attributes, std::string_view name) {
  for (const Attribute &attribute : attributes) {
    if (attribute.name == name) {
      return &attribute.value;
    }
  }
  return nullptr;
}

Value *findAttribute(List<Attribute> &attributes, std::string_view name) {
  return const_cast<Value *>(findAttribute(std::as_const(attributes), name));
}

bool removeAttribute(List<Attribute> &attributes, std::string_view name) {
  return attributes.eraseIf([&](const Attribute &attribute) { return attribute.name == name; }) !=
         0;
}

// Collects the computations that a value names. Recursive; the parser limits the nesting of values.
static void collectComputations(const Value &value, std::vector<Computation *> &computations) {
  if (value.computation()) {
    computations.push_back(value.computation());
  }
  for (const Value &item : value.items) {
    collectComputations(item, computations);
  }
}

std::vector<Computation *> Instruction::calledComputations() const {
  std::vector<Computation *> computations;
  for (const Attribute &attribute : attributes) {
    collectComputations(attribute.value, computations);
  }
  return computations;
}

std::optional<int64_t> Instruction::parameterNumber() const {
  if (std::string_view(opcode) != "parameter" || !literal || literal->items.size() != 1) {
    return std::nullopt;
  }
  return literal->items[0].integer();
}

Instruction *Computation::root() const {
  for (const std::unique_ptr<Instruction> &instruction : instructions) {
    if (instruction->isRoot) {
      return instruction.get();
    }
  }
  return instructions.empty() ? nullptr : instructions.back().get();
}

bool Computation::printsBare() const {
  const Instruction *all = root();
  return isBare && std::all_of(instructions.begin(), instructions.end(), [&](const auto &each) {
           return each.get() == all || each->isImplied || each->isInline;
         });
}

Instruction *Computation::find(std::string_view name) const {
  for (const std::unique_ptr<Instruction> &instruction : instructions) {
    if (instruction->name == name) {
      return instruction.get();
    }
  }
  return nullptr;
}

Computation *Module::entry() const {
  for (const std::unique_ptr<Computation> &computation : computations) {
    if (computation->isEntry) {
      return computation.get();
    }
  }
  return computations.empty() ? nullptr : computations.back().get();
}

Computation *Module::find(std::string_view name) const {
  for (const std::unique_ptr<Computation> &computation : computations) {
    if (computation->name == name) {
      return computation.get();
    }
  }
  return nullptr;
}

} // namespace drumlin::hlo
